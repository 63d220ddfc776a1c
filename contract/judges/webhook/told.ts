/** Whether what deliveries say is right, by what the job endpoint says of their jobs. */

import type { Claim } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";
import type { Attempt } from "./timeline.ts";
import { nameOf } from "./timeline.ts";
import { endsNotTried, seenOf } from "./witness.ts";

interface Telling extends Pick<Claim, "promise" | "without" | "evidence"> {
  told: readonly Attempt[];
  /** What is wrong with it; null: nothing. */
  lieOf: (one: Attempt) => string | null;
  /** Whether that can be told at all; left out: always. */
  isClear?: (one: Attempt) => boolean;
  /** Said of those with nothing wrong. */
  agrees: string;
}

export function toldClaim({ told, lieOf, isClear = () => true, agrees, ...rest }: Telling): Claim {
  const read = told.map((one) => ({ one, lie: lieOf(one) }));
  const right = read.flatMap(({ one, lie }) => (lie === null ? [one] : []));
  const clean = right.filter(isClear);
  const cases = clean.map(({ each }) => each);
  // Of a completed job's body and result there is nothing to see in the other ends.
  const isOneEnd = told.every(({ each }) => each.end === "completed");
  return countedClaim({
    ...rest,
    faults: read.flatMap(({ one, lie }) => {
      if (lie === null) return [];
      const exchanges = one.each.looks.slice(-1);
      return [{ what: `${lie} (${nameOf(one)})`, ...seenOf(one.each, [one]), exchanges }];
    }),
    open: right
      .filter((one) => !clean.includes(one))
      .map((one) => ({ what: `the job of ${nameOf(one)} could not be polled after its end` })),
    clean: cases.map((each) => seenOf(each)),
    of: "deliveries",
    kept: `${clean.length} ${agrees}`,
    notTried: isOneEnd ? [] : endsNotTried(cases),
  });
}
