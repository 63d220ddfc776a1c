/**
 * Finds the next page of a list, where an answer names one in a usual way. Spec §4.1, §4.5: open.
 */

import { isObject } from "../decode/decoded.ts";
import { percentEncoded } from "../requests/routes.ts";
import type { PagePlace } from "./page-fields.ts";
import { placesOf } from "./page-fields.ts";

/** The pages that were read, up to the one that is asked about. */
export interface PagesRead {
  pages: number;
  entries: number;
  /** Of the longest one, for lists that do not tell how long their pages are. */
  pageLength: number;
}

/**
 * Query of an obvious next page: a link with a query (in the body, or a Link header, RFC 8288), a
 * cursor or token, a page number or an offset that is not the last; null where there is none.
 */
export function nextPageQuery(
  body: unknown,
  linkHeader = "",
  read: PagesRead = onePage(body),
): string | null {
  const linked = headerQuery(linkHeader);
  if (linked !== null || !isObject(body)) return linked;
  const length = pageEntries(body)?.length ?? 0;
  for (const place of placesOf(body)) {
    const query = namedQuery(place) ?? countedQuery(place, read, length);
    if (query !== null) return query;
  }
  return null;
}

/**
 * Whether an answer says that nothing follows it: by a total, the last page's number, or a page
 * that is not full. `fullLength`: where that is known, how long a full page is.
 */
export function saysItIsLast(body: unknown, read: PagesRead, fullLength = Infinity): boolean {
  const said = saidOf(body, read, fullLength);
  return said.includes(true) && !said.includes(false);
}

/** Whether an answer names a next page, or says that there is more than was read. */
export function saysItGoesOn(body: unknown, linkHeader = ""): boolean {
  const isTold = saidOf(body, onePage(body), Infinity).includes(false);
  return isTold || nextPageQuery(body, linkHeader) !== null;
}

/** Whether it names a next page, or says so in plain words, whatever it counts. */
export function namesNextPage(body: unknown, linkHeader = ""): boolean {
  if (headerQuery(linkHeader) !== null) return true;
  const places = isObject(body) ? placesOf(body) : [];
  return places.some((place) => place.more() === true || namedQuery(place) !== null);
}

/** Whether it says in plain words that nothing follows. */
export function namesNoMore(body: unknown): boolean {
  const places = isObject(body) ? placesOf(body) : [];
  return places.some((place) => place.more() === false);
}

/** How many entries and pages an answer says there are. */
export function countsTold(body: unknown): readonly number[] {
  const places = isObject(body) ? placesOf(body) : [];
  return places.flatMap((place) => [place.count("total") ?? [], place.count("last") ?? []].flat());
}

/** How many entries an answer says there are, on its page or in all. */
export function countsOfEntries(body: unknown): readonly number[] {
  const places = isObject(body) ? placesOf(body) : [];
  return places.flatMap((place) => [place.count("total") ?? [], place.count("count") ?? []].flat());
}

function saidOf(body: unknown, read: PagesRead, fullLength: number): readonly (boolean | null)[] {
  if (!isObject(body)) return [];
  const length = pageEntries(body)?.length ?? 0;
  return placesOf(body).map((place) => isSaidLast(place, { ...read, fullLength }, length));
}

function isSaidLast(
  place: PagePlace,
  { fullLength, ...read }: PagesRead & { fullLength: number },
  length: number,
): boolean | null {
  const [more, total] = [place.more(), place.count("total")];
  if (more !== null) return !more;
  if (total !== null) return read.entries >= total;
  const [page, last] = [place.count("page"), place.count("last")];
  if (page !== null && last !== null) return isLastPage(page, last, read);
  const [size, count] = [place.count("size"), place.count("count")];
  // Of a full page, the count may be its own.
  if (size !== null) return length < size && (count ?? length) === length ? true : null;
  return count !== null && count === read.entries && length < fullLength ? true : null;
}

/** The entries of a page: the list itself, or the longest one that the answer holds. */
export function pageEntries(body: unknown): readonly unknown[] | null {
  if (Array.isArray(body)) return body;
  if (!isObject(body)) return null;
  const members = Object.values(body);
  const inner = members.filter(isObject).flatMap((each) => Object.values(each));
  const lists = (some: readonly unknown[]) =>
    some.filter((each) => Array.isArray(each)).sort((a, b) => b.length - a.length);
  return lists(members)[0] ?? lists(inner)[0] ?? null;
}

/** The page as the first one of its list. */
function onePage(body: unknown): PagesRead {
  const length = pageEntries(body)?.length ?? 0;
  return { pages: 1, entries: length, pageLength: length };
}

function headerQuery(header: string): string | null {
  const links = header.split(/,\s*(?=<)/);
  const next = links.find((link) => /;\s*rel="?next"?/i.test(link));
  return /<[^>?]*\?([^>]*)>/.exec(next ?? "")?.[1] ?? null;
}

/** By a link, a cursor, or the next page's own number. */
function namedQuery(place: PagePlace): string | null {
  if (place.more() === false) return null;
  for (const given of place.all("link")) {
    const link = isObject(given) ? given.href : given;
    if (typeof link === "string" && link.includes("?")) return link.slice(link.indexOf("?") + 1);
  }
  const cursor = place.cursor();
  if (cursor !== null) return `${cursor[0]}=${percentEncoded(cursor[1])}`;
  const page = place.count("nextPage");
  if (page !== null) return `page=${page}`;
  const offset = place.count("nextOffset");
  return offset === null ? null : `offset=${offset}`;
}

/** By what was read so far, of what the place says there is. */
function countedQuery(place: PagePlace, read: PagesRead, length: number): string | null {
  const [page, offset] = [place.count("page"), place.count("offset")];
  if (page !== null) return isPageNext(place, page, read, length) ? `page=${page + 1}` : null;
  const [total, limit] = [place.count("total"), place.count("size")];
  const size = limit ?? read.pageLength;
  const at = offset ?? (total !== null && limit !== null ? read.entries - length : null);
  if (at !== null) {
    // Where no page says where it stands, what was read says it.
    const next = offset === null ? read.entries : at + size;
    const isNext = size > 0 && (total === null ? place.more() === true : next < total);
    return isNext ? `offset=${next}&limit=${size}` : null;
  }
  return place.more() === true ? `page=${read.pages + 1}` : null;
}

function isPageNext(place: PagePlace, page: number, read: PagesRead, length: number): boolean {
  const [total, told, last] = [place.count("total"), place.count("size"), place.count("last")];
  if (last !== null) return !isLastPage(page, last, read);
  const size = told ?? read.pageLength;
  if (total !== null) return size > 0 && !isLastPage(page, Math.ceil(total / size), read);
  return place.more() ?? (told !== null && told > 0 && length >= told);
}

/** Some count their pages from 0 on. */
function isLastPage(page: number, last: number, { pages }: PagesRead): boolean {
  return page === pages - 1 ? pages >= last : page >= last;
}
