/**
 * Finds the next page of a list, where an answer names one in a usual way. Spec §4.1, §4.5: open.
 */

import type { JsonObject } from "./decode/decoded.ts";
import { isObject } from "./decode/decoded.ts";
import { percentEncoded } from "./routes.ts";

/**
 * Query of an obvious next page: a link with a query (in the body, or a Link header, RFC 8288), a
 * cursor or token, a page number or an offset that is not the last; null where there is none.
 * `pageLength` counts for lists that do not tell how long their pages are.
 */
export function nextPageQuery(
  body: unknown,
  linkHeader = "",
  pageLength = pageEntries(body)?.length ?? 0,
): string | null {
  const linked = headerQuery(linkHeader);
  if (linked !== null || !isObject(body)) return linked;
  for (const place of placesOf(body)) {
    const query =
      linkQuery(place) ??
      cursorQuery(place) ??
      pageQuery(place, pageLength) ??
      offsetQuery(place, pageLength);
    if (query !== null) return query;
  }
  return null;
}

/** How many entries the whole list has, where an answer says so. */
export function statedTotal(body: unknown): number | null {
  if (!isObject(body)) return null;
  return (
    placesOf(body)
      .map(totalOf)
      .find((total) => total !== null) ?? null
  );
}

/** Where an answer may speak of its pages. */
function placesOf(body: JsonObject): readonly JsonObject[] {
  const groups = [body.links, body._links, body.pagination, body.meta, body.paging, body.page_info];
  return [body, ...groups].filter(isObject);
}

/** The entries of a page: the list itself, or the first one that the answer holds. */
export function pageEntries(body: unknown): readonly unknown[] | null {
  if (Array.isArray(body)) return body;
  return isObject(body) ? (Object.values(body).find(Array.isArray) ?? null) : null;
}

function headerQuery(header: string): string | null {
  const links = header.split(/,\s*(?=<)/);
  const next = links.find((link) => /;\s*rel="?next"?/i.test(link));
  return /<[^>?]*\?([^>]*)>/.exec(next ?? "")?.[1] ?? null;
}

const LINKS = ["next", "next_url", "next_page_url", "next_link", "next_page"] as const;

function linkQuery(place: JsonObject): string | null {
  for (const name of LINKS) {
    const given = place[name];
    const link = isObject(given) ? given.href : given;
    if (typeof link === "string" && link.includes("?")) return link.slice(link.indexOf("?") + 1);
  }
  return null;
}

/** Members that hold a cursor, with the parameter that takes it. */
const CURSORS = {
  next_cursor: "cursor",
  nextCursor: "cursor",
  next_page_token: "page_token",
  nextPageToken: "pageToken",
} as const;

function cursorQuery(place: JsonObject): string | null {
  for (const [name, parameter] of Object.entries(CURSORS)) {
    const cursor = place[name];
    if (typeof cursor !== "string" || cursor === "") continue;
    return `${parameter}=${percentEncoded(cursor)}`;
  }
  return null;
}

/** `{page, per_page, total}`, `{page, total_pages}`, `{page, has_more}` or `{next_page}`. */
function pageQuery(place: JsonObject, pageLength: number): string | null {
  if (isCount(place.next_page)) return `page=${place.next_page}`;
  const page = place.page ?? place.current_page;
  if (!isCount(page)) return null;
  const size = place.per_page ?? place.page_size ?? place.perPage ?? pageLength;
  const total = totalOf(place);
  const byTotal = isCount(size) && total !== null && size > 0 ? Math.ceil(total / size) : null;
  const last = place.total_pages ?? place.pages ?? place.last_page ?? byTotal;
  const isNext = isCount(last) ? page < last : hasMore(place);
  return isNext ? `page=${page + 1}` : null;
}

/** `{offset, limit, total}` or `{offset, has_more}`, each with or without the limit. */
function offsetQuery(place: JsonObject, pageLength: number): string | null {
  const { offset } = place;
  if (!isCount(offset)) return null;
  const size = isCount(place.limit) ? place.limit : pageLength;
  const next = offset + size;
  const total = totalOf(place);
  const isNext = size > 0 && (total === null ? hasMore(place) : next < total);
  return isNext ? `offset=${next}&limit=${size}` : null;
}

function totalOf(place: JsonObject): number | null {
  const total = place.total ?? place.total_count;
  return isCount(total) ? total : null;
}

function hasMore({ has_more, hasMore, has_next }: JsonObject): boolean {
  return (has_more ?? hasMore ?? has_next) === true;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
