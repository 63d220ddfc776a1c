/** What the account's owner does in mid-run is held against no promise that it does not touch. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { covers } from "../../tools/robustness/covers.ts";

/** In the middle of the measuring of limits, and of the first jobs. */
const FROM_MS = 30_000;

const ofGroups = (...groups: readonly string[]): readonly PromiseId[] =>
  PROMISE_IDS.filter((id) => groups.includes(id.split(".")[0] ?? ""));

/** Promises that a gate calls broken of a healthy service with this. */
async function brokenWith(fault: Fault, only: readonly PromiseId[]): Promise<readonly string[]> {
  const service = { variant: "B", seed: 3, faults: [fault.name] } as const;
  const { findings } = await simulateGate({ seed: 3, service, otherFaults: [fault], only });
  return findings.flatMap(({ promise, verdict }) => (verdict === "broken" ? [promise] : []));
}

it(covers("keys that are revoked say nothing of limits or jobs", "27 gate"), async () => {
  const revoked = faultOf("job.shape", "revoked", "All keys are revoked", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      authenticate: (outcome) =>
        outcome.key !== null && clock.nowMs() - sinceMs > FROM_MS
          ? { key: null, refusal: "revoked-key" }
          : outcome,
    };
  });
  expect(await brokenWith(revoked, ofGroups("rate", "job"))).toEqual([]);
});

/** Ours: 4,789 were once, in a gate of these scenarios. */
const REFUSED_MAX = 150;

it(covers("credits that run out break nothing, and stop the submissions", "28 gate"), async () => {
  let refused = 0;
  const broke = faultOf("job.shape", "broke", "The credits run out", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      affordable(isSo) {
        const isOver = clock.nowMs() - sinceMs > FROM_MS;
        if (isSo && isOver) refused += 1;
        return isSo && !isOver;
      },
    };
  });
  expect(await brokenWith(broke, ofGroups("job", "load"))).toEqual([]);
  expect(refused).toBeGreaterThan(0);
  // Each scenario finds out by itself, with what is on its way by then.
  expect(refused).toBeLessThan(REFUSED_MAX);
});

it(covers("bursts of 500 break the share of errors alone", "25 gate"), async () => {
  const bursts = faultOf("job.shape", "bursts", "3 s of 500 in each 20 s", ({ clock }) => {
    const sinceMs = clock.nowMs();
    return {
      answer: (answer) =>
        (clock.nowMs() - sinceMs) % 20_000 > 17_000 ? { ...answer, status: 500 } : answer,
    };
  });
  expect(await brokenWith(bursts, ofGroups("job", "load"))).toEqual(["load.errors"]);
});

it(covers("answers to submissions that are lost lose no job", "31 gate"), async () => {
  const lossy = faultOf("job.shape", "lossy", "1 answer in 20 is lost", ({ random }) => ({
    answer: (answer, { request }) =>
      request.route === "submit" && random() < 0.05 ? { ...answer, delivery: "reset" } : answer,
  }));
  expect(await brokenWith(lossy, ofGroups("job", "load"))).toEqual(["load.errors"]);
});
