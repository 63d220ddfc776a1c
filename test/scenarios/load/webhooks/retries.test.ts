/** Redeliveries of a load: what they have against the first attempt, and what comes after them. */

import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import { newLedger } from "../../../../scenarios/load/followed/ledger.ts";
import type { Soak } from "../../../../scenarios/load/soak.ts";
import { newTally } from "../../../../scenarios/load/tally.ts";
import { takeDelivery } from "../../../../scenarios/load/webhooks/deliveries.ts";
import { noRetries } from "../../../../scenarios/load/webhooks/failed-deliveries.ts";
import { takeAttempt } from "../../../../scenarios/load/webhooks/retries.ts";
import { arrived } from "../../../receiver/arrived.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { sent } from "../sent.ts";

const START_MS = Date.UTC(2026, 0, 1);
const BODY = JSON.stringify({ event: "job.completed", job_uuid: "job_1", status: "completed" });
const OTHER = JSON.stringify({ event: "job.completed", job_uuid: "job_2", status: "completed" });

/** Attempts at one job's webhook, the first answered 500; the job is closed after it. */
function heldAgainst(...later: readonly (readonly [ms: number, change?: Partial<Delivery>])[]) {
  const [tally, ledger, retries] = [newTally(START_MS), newLedger(), noRetries()];
  const entry = { ...sent("success", START_MS), id: "job_1" };
  const world = { now: () => START_MS };
  const slack = { atMs: START_MS, ms: 0 };
  // What is left out is asked for nothing here.
  const soak = { tally, ledger, retries, plan: BASE_PLAN, context: { world }, slack } as Soak;
  ledger.add(entry);
  const failed = { answer: { kind: "status", status: 500, delayMs: 0 } as const };
  for (const [at, [ms, change]] of [[600, failed] as const, ...later].entries()) {
    const given = { token: entry.token, attempt: at + 1, arrivedAtMs: START_MS + ms, body: BODY };
    const delivery = arrived({ ...given, ...change });
    takeDelivery(soak, delivery, true);
    takeAttempt(soak, delivery);
    if (at === 0) ledger.close(entry);
  }
  const { deliveries } = tally;
  const names = ["unsigned", "untruthful", "repeated", "again", "mistimed", "goneOn"] as const;
  const broken = names.filter((name) => deliveries[name].count > 0);
  return { broken, retried: deliveries.retried };
}

describe("a retry under load", () => {
  it.each([
    ["that is taken, and the last", [[5_700]], []],
    ["without a signature", [[5_700, { signature: "absent" }]], ["unsigned"]],
    ["that tells of another job", [[5_700, { body: OTHER }]], ["untruthful"]],
    ["that is taken, and followed by another attempt", [[5_700], [35_800]], ["goneOn"]],
    ["that is taken, and followed by two", [[5_700], [5_900], [35_800]], ["goneOn"]],
    ["that is taken, and followed at once", [[5_700], [5_705]], ["goneOn"]],
    ["that comes too soon, as a copy does, before the true one", [[610], [5_700]], ["mistimed"]],
    ["whose sender hung up", [[5_700, { hungUpAtMs: START_MS + 5_710 }], [35_800]], []],
  ] as const)("%s", (_, later, expected) => {
    expect(heldAgainst(...later).broken).toEqual(expected);
  });

  it.each([
    ["of the job", BODY, 1],
    ["of another, which is no retry", OTHER, 0],
  ])("is counted where it is %s", (_, body, retried) => {
    expect(heldAgainst([5_700, { body }]).retried).toBe(retried);
  });
});
