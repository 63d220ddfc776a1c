/** What deliveries say, beside what the job endpoint says of their jobs. */

import type { Job } from "../../decode/job-types.ts";
import type { Delivery } from "../../delivery.ts";
import type { Claim } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";
import { bodyOf } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { endedJob } from "./case.ts";
import { endOf, endsNotTried, nameOf, seenOf } from "./witness.ts";

export interface Told {
  each: WebhookCase;
  delivery: Delivery;
  /** As JSON; undefined when it is none, was cut, or nests too deep. */
  body: unknown;
  /** As the job endpoint showed it in its end; null when it did not. */
  job: Job | null;
}

export function allTold(run: WebhookRun): readonly Told[] {
  return run.cases.flatMap((each) => {
    const job = endedJob(each);
    return each.deliveries.map((delivery) => ({ each, delivery, body: bodyOf(delivery), job }));
  });
}

interface Telling extends Pick<Claim, "promise" | "without" | "evidence"> {
  told: readonly Told[];
  /** What is wrong with it; null: nothing. */
  lieOf: (one: Told) => string | null;
  /** Whether that can be told at all; left out: always. */
  isClear?: (one: Told) => boolean;
  /** Said of those with nothing wrong. */
  agrees: string;
}

/** None of the deliveries says what is wrong. */
export function toldClaim({ told, lieOf, isClear = () => true, agrees, ...rest }: Telling): Claim {
  const read = told.map((one) => ({ one, lie: lieOf(one) }));
  const right = read.flatMap(({ one, lie }) => (lie === null ? [one] : []));
  const clean = right.filter(isClear);
  const cases = clean.map(({ each }) => each);
  // Of a completed job's body and result there is nothing to see in the other ends.
  const isOneEnd = told.every(({ each }) => endOf(each) === "completed");
  return countedClaim({
    ...rest,
    faults: read.flatMap(({ one, lie }) => {
      const { each, delivery } = one;
      if (lie === null) return [];
      const exchanges = each.looks.slice(-1);
      return [{ what: `${lie} (${nameOf(one)})`, ...seenOf(each, [delivery]), exchanges }];
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
