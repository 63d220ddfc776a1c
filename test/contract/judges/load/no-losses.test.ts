/** Accepted jobs, each in exactly one account of the ledger. */

import { describe, expect, it } from "vitest";
import type { LedgerBalance } from "../../../../contract/judges/load/no-losses.ts";
import { noLossesClaim } from "../../../../contract/judges/load/no-losses.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { violations } from "./violations.ts";

function balance(change: Partial<LedgerBalance>): LedgerBalance {
  const none = { overdue: 0, unreadable: 0, lost: violations(0), unanswered: violations(0) };
  return { accepted: 200, ended: 200, inFlight: 0, ...none, ...change };
}

const CASES = [
  { title: "all ended", given: {}, verdict: "kept" },
  { title: "some are in flight", given: { ended: 190, inFlight: 10 }, verdict: "kept" },
  {
    title: "some are in flight that should have ended",
    given: { ended: 190, inFlight: 10, overdue: 1 },
    verdict: "inconclusive",
  },
  { title: "one is lost", given: { ended: 199, lost: violations(1) }, verdict: "broken" },
  { title: "one can't be read", given: { ended: 199, unreadable: 1 }, verdict: "inconclusive" },
  {
    title: "one is not answered",
    given: { ended: 199, unanswered: violations(1) },
    verdict: "inconclusive",
  },
  { title: "the ledger is off by one", given: { ended: 199 }, verdict: "inconclusive" },
  { title: "nothing was accepted", given: { accepted: 0, ended: 0 }, verdict: "unobserved" },
] as const;

describe("load.no-losses", () => {
  it.each(CASES)("$title: $verdict", ({ given, verdict }) => {
    expect(decide(noLossesClaim(balance(given), "nothing was accepted")).verdict).toBe(verdict);
  });
});
