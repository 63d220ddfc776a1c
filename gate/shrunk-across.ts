/**
 * job.list-limit over all runs of a gate: a key's list is shorter than it was in another run, and
 * lacks one of its latest jobs, as where those of all accounts are counted. What one run sees, its
 * own judges tell. Spec §4.5.
 */

import type { OwnJob } from "../contract/judges/job/lists/list-limit.ts";
import { listedIds } from "../contract/judges/job/lists/list-own.ts";
import { judgeListShrunk } from "../contract/judges/job/lists/list-shrunk.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isSuccess } from "../contract/requests/exchange.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { Finding } from "../contract/verdict.ts";
import type { Recorded } from "./shown.ts";

/** Lists of a key that were kept as they came, each whole by itself, and jobs of that key. */
interface KeyLists {
  key: string | null;
  lists: readonly Exchange[];
  own: readonly OwnJob[];
}

/** Broken or nothing. */
export function shrunkAcross(runs: readonly Recorded[]): readonly Finding[] {
  const seen = runs.map((run) => Map.groupBy(run.records.flatMap(keyLists), ({ key }) => key));
  const pairs = seen.flatMap((before, at) => {
    return seen.flatMap((after, other) => {
      if (other === at) return [];
      return [...before].flatMap(([key, left]) => {
        const right = after.get(key);
        return right === undefined ? [] : shrunkBetween(left, right);
      });
    });
  });
  return pairs.slice(0, 1);
}

/** The longest list of the one run, and the last of the other. */
function shrunkBetween(before: readonly KeyLists[], after: readonly KeyLists[]) {
  const [longest] = listsOf(before).toSorted((a, b) => listedIds(b).length - listedIds(a).length);
  const last = listsOf(after).at(-1);
  if (longest === undefined || last === undefined || last.sentAtMs < longest.sentAtMs) return [];
  return judgeListShrunk(
    [longest, last],
    [...before, ...after].flatMap(({ own }) => own),
  );
}

/** In the order in which they were asked for. */
function listsOf(seen: readonly KeyLists[]): readonly Exchange[] {
  return seen
    .flatMap(({ lists }) => lists)
    .filter(isSuccess)
    .sort((a, b) => a.sentAtMs - b.sentAtMs);
}

function keyLists(record: EvidenceRecord): readonly KeyLists[] {
  if (record.type !== "observation") return [];
  switch (record.kind) {
    case "contract.listed": {
      const { lists, own } = record.value;
      const alone = lists.filter((pages) => pages.length === 1).flat();
      return alone.map((list) => ({ key: list.key, lists: [list], own }));
    }
    case "contract.list-limit": {
      const { before, list, own } = record.value;
      const lists = before === undefined ? [list] : [before, list];
      return [{ key: list.key, lists, own }];
    }
    case "soak.job-lists":
      return record.value.map(({ key, list, own }) => ({ key, lists: [list], own }));
    default:
      return [];
  }
}
