/** Webhooks of a load that come again: too soon for a retry, or as one that may be lawful. */

import { expect, it } from "vitest";
import { newLedger } from "../../../scenarios/load/ledger.ts";
import { newTally } from "../../../scenarios/load/tally.ts";
import { takeDelivery } from "../../../scenarios/load/told.ts";
import { arrived } from "../../receiver/arrived.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { sent } from "./sent.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** A job sent at the start whose webhook arrives, and is answered 200, at both times. */
function takenAt(firstMs: number, secondMs: number): readonly [repeated: number, again: number] {
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  const entry = sent("success", START_MS);
  ledger.add(entry);
  for (const [at, attempt] of [firstMs, secondMs].entries()) {
    const arrivedAtMs = START_MS + attempt;
    const delivery = arrived({ token: entry.token, attempt: at + 1, arrivedAtMs, body: "{}" });
    takeDelivery({ tally, ledger, plan: BASE_PLAN }, delivery, true);
  }
  return [tally.deliveries.repeated.count, tally.deliveries.again.count];
}

it.each([
  ["at once", 600, 605, [1, 0]],
  ["sooner than a first wait after the job", 600, 4_400, [1, 0]],
  ["5 s after an attempt that was sent at once, and held up for 2.5 s", 2_600, 5_100, [0, 1]],
  ["at once, of a job that took longer than a first wait", 6_000, 6_005, [1, 0]],
  ["after a first wait", 600, 5_700, [0, 1]],
] as const)("a webhook that comes again %s", (_, firstMs, secondMs, expected) => {
  expect(takenAt(firstMs, secondMs)).toEqual(expected);
});
