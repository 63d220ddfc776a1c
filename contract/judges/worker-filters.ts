/** Judges the filters of the worker list; how texts match is open. Spec §4.1. */

import type { Exchange } from "../exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";
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
  const promise = "workers.category-filter";
  if (queries.length === 0) return unobserved(promise, without);
  let judged = 0;
  for (const query of queries) {
    const { answer, refused, entries } = answerOf(query);
    if (refused && !query.madeUp) {
      const summary = `category "${query.category}" got ${answer?.status}; promised a list`;
      return broken(promise, summary, { exchanges: answer ? [answer] : [] });
    }
    if (entries === null || answer === undefined) continue;
    judged += 1 + query.further.length;
    const stray = [answer, ...query.further].find((page) => otherIn(page, query.category) !== null);
    if (stray !== undefined) {
      const other = otherIn(stray, query.category);
      return broken(
        promise,
        `category "${query.category}" returned worker "${other?.id}" of category ` +
          `"${other?.category}"; promised only entries of that category`,
        { evidence: { returned: entries.length }, exchanges: [stray] },
      );
    }
    if (!query.madeUp && entries.length === 0) {
      const summary = `category "${query.category}" returned nothing; the list has such workers`;
      return broken(promise, summary, { exchanges: answer ? [answer] : [] });
    }
  }
  if (judged === 0) return inconclusive(promise, "no filtered list was answered with a list");
  return kept(promise, `${judged} filtered lists hold only entries of the category asked for`, {
    evidence: { samples: judged },
    strength: looksAt(judged, "lists"),
  });
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

export function judgeTextFilter(input: TextFilterInput): Finding {
  const promise = "workers.text-filter";
  if (input.queries.length === 0) return unobserved(promise, input.without);
  const doubts: string[] = [];
  let judged = 0;
  for (const query of input.queries) {
    const { answer, refused, entries } = answerOf(query);
    const exchanges = answer ? [answer] : [];
    if (refused && query.kind === "name") {
      const summary = `q="${query.text}" got ${answer?.status}; promised a list`;
      return broken(promise, summary, { exchanges });
    }
    if (entries === null) continue;
    const ids = entries.map(({ id }) => id);
    const { fault, doubt } = matchFault(query, ids, input.unfiltered);
    if (fault !== null) return broken(promise, fault, { exchanges });
    if (doubt !== null) doubts.push(doubt);
    judged += 1;
  }
  if (doubts.length > 0) return inconclusive(promise, doubts.join("; "));
  if (judged < input.queries.length || judged === 0) {
    return inconclusive(promise, `${judged} of ${input.queries.length} queries were answered`);
  }
  return kept(promise, "a worker's own name finds it, and not everything matches everything", {
    evidence: { samples: judged },
    strength: looksAt(judged, "queries"),
  });
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
