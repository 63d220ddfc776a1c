/** Reads a list page by page: bounded, and never twice the same. Spec §4.1, §4.5: open. */

import type { Exchange } from "./exchange.ts";
import { isSuccess, jsonBody } from "./exchange.ts";
import { nextPageQuery, pageEntries, statedTotal } from "./next-page.ts";

/** Ours: a thousand entries where a page has twenty; a list without end must not hold a run up. */
const PAGES_MAX = 50;
/** Ours: thousands of entries; pages without end must not fill the memory. */
const CHARS_MAX = 8 * 1024 * 1024;

export interface PageWalk {
  /** One page by its query, which is empty for the first; null where no more may be asked for. */
  ask(query: string): Promise<Exchange | null>;
  /** Whether the page ends the search; all pages are read where none does. */
  isEnough(page: Exchange): boolean;
  pagesMax?: number;
}

/** The answers to all that was asked for, in that order. The last may be no success. */
export async function readPages(walk: PageWalk): Promise<readonly Exchange[]> {
  const { ask, isEnough, pagesMax = PAGES_MAX } = walk;
  const pages: Exchange[] = [];
  const asked = new Set<string>();
  const seen = new Set<string>();
  let [chars, pageLength] = [0, 0];
  let query: string | null = "";
  while (query !== null && !asked.has(query) && pages.length < pagesMax) {
    asked.add(query);
    const page = await ask(query);
    if (page === null) break;
    pages.push(page);
    chars += page.body.length;
    if (!isSuccess(page) || isEnough(page) || chars > CHARS_MAX) break;
    const body = jsonBody(page);
    const entries = pageEntries(body) ?? [];
    // A service that does not know the parameter answers with its first page again and again.
    const told = JSON.stringify(entries);
    if (entries.length > 0 && seen.has(told)) break;
    seen.add(told);
    pageLength = Math.max(pageLength, entries.length);
    query = nextPageQuery(body, page.headers.link, pageLength);
  }
  return pages;
}

/**
 * Whether these pages, from the first one on, are the whole list. `looksPaginated`: the last one
 * speaks of pages. Where it names no next one, that is the end only if it is known how they are
 * counted: by a page that was followed, or by a total.
 */
export function areWholeList(pages: readonly Exchange[], looksPaginated: boolean): boolean {
  const last = pages.at(-1);
  if (last === undefined || !isSuccess(last)) return false;
  const body = jsonBody(last);
  const lengths = pages.map((page) => pageEntries(jsonBody(page))?.length ?? 0);
  if (nextPageQuery(body, last.headers.link, Math.max(...lengths)) !== null) return false;
  if (!looksPaginated || pages.length > 1) return true;
  const total = statedTotal(body);
  return total !== null && (lengths[0] ?? 0) >= total;
}
