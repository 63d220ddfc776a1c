/** What deliveries say, beside what the job endpoint says of their jobs. */

import type { Job } from "../../decode/job-types.ts";
import type { Delivery } from "../../delivery.ts";
import { bodyOf } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { endedJob } from "./case.ts";

export interface Told {
  each: WebhookCase;
  delivery: Delivery;
  /** As JSON; undefined when it is none, or was cut. */
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

export interface Lie {
  one: Told;
  lie: string;
}

/** Those of which something is wrong, and what. */
export function liesIn(told: readonly Told[], lieOf: (one: Told) => string | null): readonly Lie[] {
  return told.flatMap((one) => {
    const lie = lieOf(one);
    return lie === null ? [] : [{ one, lie }];
  });
}
