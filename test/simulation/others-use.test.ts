/** Others use the account all the time: what they pay is charged for no refused submission. */

import { expect, it } from "vitest";
import type { Account } from "../../reference/accounts/account.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

const CREDITS = 2;

/** A job of theirs in each span, on every account that the suite has submitted to. */
const usedEach = (ms: number) =>
  faultOf("submit.rejected-runs-nothing", "near-others-use", "Others use it", ({ clock }) => {
    const used = new Set<Account>();
    const use = (account: Account) => {
      account.pay(-CREDITS);
      clock.after(ms, () => use(account));
    };
    return {
      affordable(affordable, account) {
        if (!used.has(account)) clock.after(ms, () => use(account));
        used.add(account);
        return affordable;
      },
    };
  });

it.each([4_100, 5_300, 6_200, 6_500, 7_100, 8_600])(
  "a job each %i ms is not taken for a charge",
  async (everyMs) => {
    const others = usedEach(everyMs);
    const { findings } = await simulateGate({
      seed: 1,
      profile: "quick",
      only: ["submit.rejected-runs-nothing", "rate.limited", "load.no-losses"],
      service: { variant: "A", faults: [others.name] },
      otherFaults: [others],
    });
    const broken = findings.filter(({ verdict }) => verdict === "broken");
    expect(broken.map(({ summary }) => summary)).toEqual([]);
  },
);
