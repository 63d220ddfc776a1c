/** Cuts the worker list into pages, and names the next one as it was chosen to. Spec §4.1: open. */

import { ROUTES } from "../../contract/requests/routes.ts";
import type { Choices } from "../choices.ts";
import type { RequestFacts } from "../http.ts";

/** Ours: small enough that the embedded catalogue has more than one page. */
const PAGE_LENGTH = 4;

interface Page {
  body: object;
  headers: Readonly<Record<string, string>>;
}

export function pageOf(
  kind: Choices["workersPagination"],
  all: readonly object[],
  query: RequestFacts["query"],
): Page {
  if (kind === "none") return { body: { workers: all }, headers: {} };
  const start = startOf(kind, query);
  const end = start + PAGE_LENGTH;
  const workers = all.slice(start, end);
  const isLast = end >= all.length;
  const next = pathOf(query, end / PAGE_LENGTH + 1);
  switch (kind) {
    case "page":
      return { body: { workers, page: end / PAGE_LENGTH, total: all.length }, headers: {} };
    case "cursor":
      return { body: { workers, next_cursor: isLast ? null : cursorOf(end) }, headers: {} };
    case "offset": {
      const pagination = { offset: start, limit: PAGE_LENGTH, total: all.length };
      return { body: { workers, pagination }, headers: {} };
    }
    case "next":
      return { body: { workers, next: isLast ? null : next }, headers: {} };
    case "has-more": {
      const page = end / PAGE_LENGTH;
      return { body: { workers, page, has_more: !isLast }, headers: {} };
    }
    case "overlap":
      return { body: { workers, next_cursor: isLast ? null : cursorOf(end - 1) }, headers: {} };
    case "link-header":
      return { body: { workers }, headers: isLast ? {} : { link: `<${next}>; rel="next"` } };
  }
}

/** Multiples of the page's length; the first page for what is none of its own. */
function startOf(kind: Choices["workersPagination"], query: RequestFacts["query"]): number {
  if (kind === "cursor" || kind === "overlap") {
    return whole(Buffer.from(query.cursor ?? "", "base64url").toString());
  }
  if (kind === "offset") return whole(query.offset);
  return whole(query.page, 1) * PAGE_LENGTH;
}

/** The filters stay as they were asked for. */
function pathOf(query: RequestFacts["query"], page: number): string {
  const asked = Object.entries(query).filter((each): each is [string, string] => !!each[1]);
  const parameters = new URLSearchParams({ ...Object.fromEntries(asked), page: String(page) });
  return `${ROUTES.workers}?${parameters}`;
}

function cursorOf(start: number): string {
  return Buffer.from(String(start)).toString("base64url");
}

/** The number less the first one that counts; 0 for what is none. */
function whole(text: string | undefined, first = 0): number {
  const number = Math.floor(Number(text ?? first));
  return number > first ? number - first : 0;
}
