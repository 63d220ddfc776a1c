/**
 * Finds the next page of a list, where an answer names one in a usual way. Spec §4.1, §4.5: open.
 */

import type { JsonObject } from "./decode/decoded.ts";
import { isObject } from "./decode/decoded.ts";

/** Query of an obvious next page: a link with a query, or a cursor; null where there is none. */
export function nextPageQuery(body: unknown): string | null {
  if (!isObject(body)) return null;
  const places = [body, body.links, body.pagination, body.meta, body.paging].filter(isObject);
  for (const place of places) {
    const query = linkQuery(place) ?? cursorQuery(place);
    if (query !== null) return query;
  }
  return null;
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
