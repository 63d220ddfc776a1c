/**
 * workers.detail-shape over all runs of a gate: a worker's detail told one thing, then another, and
 * the first again, so instances of the service disagree. That it changes once is lawful. Prices
 * may move, and what describes a field may be made anew for each answer. Spec §2.3.
 */

import type { DetailTold } from "../contract/decode/detail-told.ts";
import { countText } from "../contract/numbers/figures.ts";
import { isBefore } from "../contract/requests/exchange.ts";
import { utc } from "../contract/time/timestamps.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { Recorded } from "./shown.ts";

const PROMISE = "workers.detail-shape";

type Tells = (told: DetailTold) => string;

const TOLD: readonly Tells[] = [
  ({ limitSeconds }) => `a longest run of ${limitSeconds} s`,
  ({ fields }) => `input fields of fingerprint ${fields}`,
];

/** Broken or nothing. */
export function detailsAcross(runs: readonly Pick<Recorded, "records">[]): readonly Finding[] {
  const read = runs.flatMap(({ records }) =>
    records.flatMap((record) => (record.type === "detail" ? [record.told] : [])),
  );
  const byWorker = Map.groupBy(read, ({ worker }) => worker);
  const faults = [...byWorker].flatMap(([worker, told]) =>
    TOLD.flatMap((tells) => {
      const seen = cameBack(told, tells);
      if (seen === null) return [];
      const texts = seen.map((each) => `${tells(each)} at ${utc(each.sentAtMs)}`);
      return [`worker "${worker}" told ${texts.join(", then ")}`];
    }),
  );
  const [first] = faults;
  if (first === undefined) return [];
  const more = faults.length === 1 ? "" : `; ${countText(faults.length, "such detail")} in all`;
  const evidence = { samples: byWorker.size, faults: faults.length, examples: faults.slice(0, 5) };
  return [broken(PROMISE, `${first}; promised the worker's own${more}`, { evidence })];
}

/** One that tells it, one that tells it otherwise, and one that tells the first again. */
function cameBack(told: readonly DetailTold[], tells: Tells): readonly DetailTold[] | null {
  const inOrder = told.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  for (const other of inOrder) {
    const others = inOrder.filter((each) => tells(each) !== tells(other));
    for (const first of others.filter((each) => isBefore(each, other))) {
      const again = others.find((each) => tells(each) === tells(first) && isBefore(other, each));
      if (again !== undefined) return [first, other, again];
    }
  }
  return null;
}
