/**
 * Finds the next page of a list, where an answer names one in a usual way. Spec §4.1, §4.5: open.
 */

import type { JsonObject } from "./decode/decoded.ts";
import { isObject } from "./decode/decoded.ts";

/**
 * Query of an obvious next page: a link with a query (in the body, or a Link header, RFC 8288), a
 * cursor, a page number or an offset below a total; null where there is none.
 */
export function nextPageQuery(body: unknown, linkHeader = ""): string | null {
  const linked = headerQuery(linkHeader);
  if (linked !== null || !isObject(body)) return linked;
  const places = [body, body.links, body.pagination, body.meta, body.paging].filter(isObject);
  for (const place of places) {
    const query = linkQuery(place) ?? cursorQuery(place) ?? pageQuery(place) ?? offsetQuery(place);
    if (query !== null) return query;
  }
  return null;
}

function headerQuery(header: string): string | null {
  const links = header.split(/,\s*(?=<)/);
  const next = links.find((link) => /;\s*rel="?next"?/i.test(link));
  return /<[^>?]*\?([^>]*)>/.exec(next ?? "")?.[1] ?? null;
}

function linkQuery(place: JsonObject): string | null {
  for (const name of ["next", "next_url", "next_page_url"]) {
    const link = place[name];
    if (typeof link === "string" && link.includes("?")) return link.slice(link.indexOf("?") + 1);
  }
  return null;
}

function cursorQuery(place: JsonObject): string | null {
  const cursor = place.next_cursor ?? place.nextCursor;
  if (typeof cursor !== "string" || cursor === "") return null;
  return `cursor=${encodeURIComponent(cursor)}`;
}

/** `{page, per_page, total}` or `{page, total_pages}`, counted from 1. */
function pageQuery(place: JsonObject): string | null {
  const page = place.page ?? place.current_page;
  const size = place.per_page ?? place.page_size ?? place.perPage;
  const total = place.total ?? place.total_count;
  if (!isCount(page)) return null;
  const byTotal = isCount(size) && isCount(total) && size > 0 ? Math.ceil(total / size) : null;
  const last = place.total_pages ?? place.pages ?? place.last_page ?? byTotal;
  return isCount(last) && page < last ? `page=${page + 1}` : null;
}

/** `{offset, limit, total}`. */
function offsetQuery(place: JsonObject): string | null {
  const { offset, limit } = place;
  const total = place.total ?? place.total_count;
  if (!isCount(offset) || !isCount(limit) || !isCount(total) || limit === 0) return null;
  return offset + limit < total ? `offset=${offset + limit}&limit=${limit}` : null;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
