/** An account of one slow key holds up neither the looks at the others' balances nor the run. */

import { expect, it } from "vitest";
import type { RateLimit } from "../../contract/plans.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** Ours: seconds that the slow key itself may take. */
const MORE_SECONDS_MAX = 3;
/** Ours: of two accounts each look is two requests; fewer are those of the slow one. */
const FEWER_REQUESTS_MAX = 4;

async function judged(limits: Readonly<Record<string, RateLimit>>) {
  const { startedAtMs, finishedAtMs, findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: ["account.readable", "load.accounting"],
    service: { variant: "A", limits },
  });
  const found = findings.find(({ promise }) => promise === "account.readable");
  const requests = found?.strength?.looks.find(({ of }) => of === "requests")?.count ?? 0;
  return { seconds: (finishedAtMs - startedAtMs) / 1_000, requests };
}

it("a run is as long, and looks as often, with a slow account as without", async () => {
  const usual = await judged({});
  const slow = await judged({ "pro-e": { sustained: 4, burst: 8 } });
  expect(slow.seconds - usual.seconds).toBeLessThan(MORE_SECONDS_MAX);
  expect(usual.requests - slow.requests).toBeLessThanOrEqual(FEWER_REQUESTS_MAX);
});
