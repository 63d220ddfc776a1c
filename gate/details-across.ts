/**
 * workers.detail-shape over all runs of a gate: to one key a worker's detail told one thing, then
 * another, and the first again, so instances of the service disagree. That it changes once is
 * lawful, and instances may take a while to learn of it. Prices may move, and what describes a
 * field may be made anew for each answer. Spec §2.3.
 */

import type { DetailTold } from "../contract/decode/detail-told.ts";
import { countText } from "../contract/numbers/figures.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isBefore } from "../contract/requests/exchange.ts";
import { utc } from "../contract/time/timestamps.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import type { Recorded } from "./shown.ts";

const PROMISE = "workers.detail-shape";

type Tells = (told: DetailTold) => string;

/** What is compared, and how it is told of: a fingerprint says nothing to anybody. */
const TOLD: readonly { of: Tells; text: Tells }[] = [
  {
    of: (told) => `${told.limitSeconds}`,
    text: (told) => `a longest run of ${told.limitSeconds} s`,
  },
  { of: ({ fields }) => fields, text: () => "input fields" },
];

/** Broken or nothing. */
export function detailsAcross(runs: readonly Pick<Recorded, "records">[]): readonly Finding[] {
  const read = runs.flatMap(({ records }) =>
    records.flatMap((record) => (record.type === "detail" ? [record.told] : [])),
  );
  const series = [...Map.groupBy(read, ({ key, worker }) => `${key} ${worker}`).values()];
  const faults = series.flatMap((told) =>
    TOLD.flatMap(({ of, text }) => {
      const seen = cameBack(told, of) ?? [];
      const [first, other, again] = seen;
      if (first === undefined || other === undefined || again === undefined) return [];
      const isNamed = text(first) !== text(other);
      const second = isNamed ? text(other) : `others (their names, types or which are required)`;
      const texts = [
        `worker "${first.worker}" told ${text(first)} at ${utc(first.sentAtMs)}`,
        `${second} at ${utc(other.sentAtMs)}`,
        `the first again at ${utc(again.sentAtMs)}`,
      ];
      return [{ what: texts.join(", "), exchanges: seen.map(exchangeOf) }];
    }),
  );
  const [first] = faults;
  if (first === undefined) return [];
  const more = faults.length === 1 ? "" : `; ${countText(faults.length, "such detail")} in all`;
  const evidence = {
    samples: series.length,
    faults: faults.length,
    examples: faults.slice(0, 5).map(({ what }) => what),
  };
  const promised = "promised that all instances tell the same";
  const { what, exchanges } = first;
  return [broken(PROMISE, `${what}; ${promised}${more}`, { evidence, exchanges })];
}

function exchangeOf({ key, worker, body, sentAtMs, receivedAtMs }: DetailTold): Exchange {
  const asked = { method: "GET", route: "worker", path: `/v1/workers/${worker}`, key } as const;
  const answer = { status: 200, headers: {}, body, error: null, requestBody: null } as const;
  return { ...asked, ...answer, sentAtMs, receivedAtMs };
}

/** Ours: nobody changes a worker while it is read in a row. */
const IN_A_ROW_MS = 10_000;
/** Ours: by then every instance, and whatever it keeps of a worker, knows of a change. */
const KNOWN_MS = 120_000;

/** One that tells it, one that tells it otherwise, and one that tells the first again. */
function cameBack(told: readonly DetailTold[], tells: Tells): readonly DetailTold[] | null {
  const inOrder = told.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  for (const other of inOrder) {
    const others = inOrder.filter((each) => tells(each) !== tells(other));
    for (const first of others.filter((each) => isBefore(each, other))) {
      const again = others.find(
        (each) =>
          tells(each) === tells(first) &&
          isBefore(other, each) &&
          (each.receivedAtMs - first.sentAtMs <= IN_A_ROW_MS ||
            each.sentAtMs - other.receivedAtMs > KNOWN_MS),
      );
      if (again !== undefined) return [first, other, again];
    }
  }
  return null;
}
