/** Runs a table of accounts: what is said of the fall of each balance. */

import { expect, it } from "vitest";
import { accountingClaim } from "../../../../../contract/judges/load/accounting/accounting.ts";
import type { AccountLedger } from "../../../../../contract/judges/load/accounting/ledger.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import type { Variant } from "../../../../../contract/states.ts";
import type { Finding } from "../../../../../contract/verdict.ts";

export interface AccountingCase {
  title: string;
  given: AccountLedger;
  /** A where it is left out. */
  variant?: Variant;
  verdict: string;
}

export function judged(accounts: readonly AccountLedger[], variant: Variant = "A"): Finding {
  return decide(accountingClaim(accounts, variant, "no account"));
}

export function testAccounting(cases: readonly AccountingCase[]): void {
  it.each(cases)("$title: $verdict", ({ given, variant, verdict }) => {
    expect(judged([given], variant).verdict).toBe(verdict);
  });
}
