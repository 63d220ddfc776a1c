/** Judges the filters of the worker list; how texts match is open. Spec §4.1. */

import type { WorkerEntry } from "../decode/worker.ts";
import type { Exchange } from "../exchange.ts";
import { countedClaim } from "../judging/claim.ts";
import { decide } from "../judging/decide.ts";
import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { statusOutcome } from "./expected-status.ts";
import { listEntries } from "./workers.ts";

/** The list asked for one category. */
export interface CategoryQuery extends StatusCase {
  category: string;
  /** True for a category that nobody uses. */
  madeUp: boolean;
  /** The pages after the first. */
  further: readonly Exchange[];
}

export function judgeCategoryFilter(queries: readonly CategoryQuery[], without: string): Finding {
  const read = queries.map((query) => ({ query, ...answerOf(query) }));
  const lists = read.filter(({ entries }) => entries !== null);
  const faults = read.flatMap(({ query, answer, refused, entries }) => {
    const what = refused ? refusal(query, answer) : strayIn(query, entries, answer);
    return what === null ? [] : [{ what, exchanges: answer === undefined ? [] : [answer] }];
  });
  const judged = lists.reduce((sum, { query }) => sum + 1 + query.further.length, 0);
  const silent = [{ what: "no filtered list was answered with a list" }];
  return decide(
    countedClaim({
      promise: "workers.category-filter",
      faults,
      open: queries.length > 0 && judged === 0 ? silent : [],
      good: Math.max(0, judged - faults.length),
      of: "lists",
      kept: `${judged} filtered lists hold only entries of the category asked for`,
      without,
    }),
  );
}

function refusal({ category, madeUp }: CategoryQuery, answer: Exchange | undefined) {
  return madeUp ? null : `category "${category}" got ${answer?.status}; promised a list`;
}

/** `entries` is null where it was not answered as a list. */
function strayIn(
  { category, madeUp, further }: CategoryQuery,
  entries: readonly WorkerEntry[] | null,
  answer: Exchange | undefined,
): string | null {
  if (entries === null || answer === undefined) return null;
  const other = [answer, ...further].map((page) => otherIn(page, category)).find((each) => each);
  if (other !== null && other !== undefined) {
    return (
      `category "${category}" returned worker "${other.id}" of category ` +
      `"${other.category}"; promised only entries of that category`
    );
  }
  if (madeUp || entries.length > 0) return null;
  return `category "${category}" returned nothing; the list has such workers`;
}

/** An entry that names no category contradicts nothing: that is the list's shape, if anything. */
function otherIn(page: Exchange, wanted: string) {
  const entries = listEntries(page) ?? [];
  return entries.find(({ category }) => category !== null && category !== wanted) ?? null;
}

/** The list asked with a text. */
export type TextQuery = StatusCase & { text: string } & (
    | { kind: "name"; workerId: string }
    | { kind: "nonsense" }
  );

export interface TextFilterInput {
  queries: readonly TextQuery[];
  /** Identifiers of the list without a filter. */
  unfiltered: readonly string[];
  without: string;
}

export function judgeTextFilter({ queries, unfiltered, without }: TextFilterInput): Finding {
  const read = queries.map((query) => {
    const { answer, refused, entries } = answerOf(query);
    const exchanges = answer === undefined ? [] : [answer];
    const isRefused = refused && query.kind === "name";
    const refusal = `q="${query.text}" got ${answer?.status}; promised a list`;
    if (isRefused) return { fault: { what: refusal, exchanges }, open: null };
    if (entries === null) return { fault: null, open: { what: `q="${query.text}" got no list` } };
    const ids = entries.map(({ id }) => id);
    const { fault, doubt } = matchFault(query, ids, unfiltered);
    return {
      fault: fault === null ? null : { what: fault, exchanges },
      open: doubt === null ? null : { what: doubt },
    };
  });
  return decide(
    countedClaim({
      promise: "workers.text-filter",
      faults: read.flatMap(({ fault }) => fault ?? []),
      open: read.flatMap(({ open }) => open ?? []),
      good: read.filter(({ fault, open }) => fault === null && open === null).length,
      of: "queries",
      kept: "a worker's own name finds it, and not everything matches everything",
      without,
      quorum: { openShare: 0 },
    }),
  );
}

function matchFault(
  query: TextQuery,
  ids: readonly string[],
  unfiltered: readonly string[],
): { fault: string | null; doubt: string | null } {
  const none = { fault: null, doubt: null };
  if (query.kind === "name") {
    if (ids.includes(query.workerId)) return none;
    // A full first page of other matches may have pushed the worker to the next one.
    if (ids.length >= unfiltered.length && ids.length > 0) {
      return { fault: null, doubt: `q="${query.text}" fills a page without its own worker` };
    }
    const fault =
      `q="${query.text}", the name of worker "${query.workerId}", returned ` +
      `${ids.length} others; promised that its name finds it`;
    return { fault, doubt: null };
  }
  const all = ids.length > 0 && unfiltered.every((id) => ids.includes(id));
  if (!all) return none;
  const fault = `a text of chance matched all ${ids.length} workers; promised a narrower list`;
  return { fault, doubt: null };
}

function answerOf(query: StatusCase) {
  const answer: Exchange | undefined = query.attempts.at(-1);
  const outcome = statusOutcome(query, (status) => status === 200, []);
  return { answer, refused: outcome === "contradicts", entries: listEntries(answer) };
}
