/** What a run announces that it will submit at the most, and what it then submits. */

import { expect, it } from "vitest";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { JobsPlanned } from "../../gate/options.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** Jobs as told before, and as submitted, by a run of these groups. */
async function jobsOf(groups: readonly string[], seed: number, service: GivenOptions) {
  const told: JobsPlanned[] = [];
  const only = PROMISE_IDS.filter((id) => groups.includes(groupOf(id)));
  const otherFaults = [UNEVEN_FEES];
  const onPlanned = (jobs: JobsPlanned) => told.push(jobs);
  const { budget, notes } = await simulateGate({ seed, only, service, otherFaults, onPlanned });
  const isAgain = notes.some((note) => note.includes("repeated for"));
  return { planned: told[0] ?? { expected: 0, most: 0 }, sent: budget.spent.jobs, isAgain };
}

/** A sum that is not round may hide what jobs were charged. */
const UNEVEN_FEES = faultOf("load.accounting", "near-uneven-fees", "A fee at times", () => {
  let charges = 0;
  return {
    charge(microUsd, { account }) {
      charges += 1;
      if (charges % 700 === 0) account.pay(-123.4);
      return microUsd;
    },
  };
});

it.each<[string, string, number, GivenOptions]>([
  ["a fault of webhooks", "webhook", 3, { faults: ["webhook.delivered/once-in-a-while"] }],
  ["fees that are no round sums", "load", 5, { faults: [UNEVEN_FEES.name] }],
])("what is asked again because of %s stays within what was told before", async (...given) => {
  const [, groups, seed, service] = given;
  const { planned, sent, isAgain } = await jobsOf(groups.split(","), seed, service);
  expect(isAgain).toBe(true);
  expect(sent).toBeGreaterThan(planned.expected);
  expect(sent).toBeLessThanOrEqual(planned.most);
});

it("nothing asked again submits about as many as are expected", async () => {
  const { planned, sent, isAgain } = await jobsOf(["submit", "job"], 1, {});
  expect(isAgain).toBe(false);
  expect(sent).toBeLessThanOrEqual(planned.expected);
});
