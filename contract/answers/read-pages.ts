/** Reads a list page by page: bounded, and never twice the same. Spec §4.1, §4.5: open. */

import type { Exchange } from "../requests/exchange.ts";
import { BODY_LENGTH_MAX, isSuccess, jsonBody } from "../requests/exchange.ts";
import type { PagesRead } from "./next-page.ts";
import { nextPageQuery, pageEntries, saysItIsLast } from "./next-page.ts";

/** Ours: a thousand entries where a page has ten; a list without end must not hold a run up. */
const PAGES_MAX = 100;

export interface PageWalk {
  /** One page by its query, which is empty for the first; null where no more may be asked for. */
  ask(query: string): Promise<Exchange | null>;
  /** Whether the page ends the search; all pages are read where none does. */
  isEnough(page: Exchange): boolean;
  pagesMax?: number;
  /** Told where the list goes on, and nothing of it was asked for any more. */
  onShort?(why: string): void;
}

/** The answers to all that was asked for, in that order. The last may be no success. */
export async function readPages(walk: PageWalk): Promise<readonly Exchange[]> {
  const { ask, isEnough, pagesMax = PAGES_MAX } = walk;
  const pages: Exchange[] = [];
  const asked = new Set<string>();
  const seen = new Set<string>();
  let read: PagesRead = { pages: 0, entries: 0, pageLength: 0 };
  let [chars, wasEmpty] = [0, false];
  const short = (why: string) => {
    walk.onShort?.(`${why} after ${pages.length} requests`);
    return pages;
  };
  for (let query: string | null = ""; query !== null; ) {
    if (asked.has(query)) return short("its next page was already read");
    // Pages without end must not fill the memory.
    if (pages.length >= pagesMax || chars > BODY_LENGTH_MAX) return short("it goes on");
    asked.add(query);
    const page = await ask(query);
    if (page === null) break;
    pages.push(page);
    chars += page.body.length;
    if (!isSuccess(page) || isEnough(page)) break;
    const body = jsonBody(page);
    const entries = pageEntries(body) ?? [];
    // A service that does not know the parameter answers with its first page again and again.
    const told = JSON.stringify(entries);
    const isEmpty = entries.length === 0;
    if (!isEmpty && seen.has(told)) return short("a page came again");
    if (isEmpty && wasEmpty) return short("empty pages came");
    seen.add(told);
    wasEmpty = isEmpty;
    read = withPage(read, entries.length);
    query = nextPageQuery(body, page.headers.link, read);
  }
  return pages;
}

function withPage({ pages, entries, pageLength }: PagesRead, length: number): PagesRead {
  return {
    pages: pages + 1,
    entries: entries + length,
    pageLength: Math.max(pageLength, length),
  };
}

/**
 * Whether these pages, from the first one on, are the whole list. `looksPaginated`: the last one
 * speaks of pages. Where it names no next one, that is the end only if it is known how they are
 * counted: by a page that was followed, or by what it says.
 */
export function areWholeList(
  pages: readonly Exchange[],
  looksPaginated: boolean,
  fullLength?: number,
): boolean {
  const last = pages.at(-1);
  if (last === undefined || !isSuccess(last)) return false;
  const body = jsonBody(last);
  const read = pages
    .map((page) => pageEntries(jsonBody(page))?.length ?? 0)
    .reduce(withPage, { pages: 0, entries: 0, pageLength: 0 });
  if (nextPageQuery(body, last.headers.link, read) !== null) return false;
  return !looksPaginated || pages.length > 1 || saysItIsLast(body, read, fullLength);
}
