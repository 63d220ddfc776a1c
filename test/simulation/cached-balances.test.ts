/** A balance that is shown as it was seconds ago hides no payment that jobs are blamed for. */

import { describe, expect, it } from "vitest";
import type { Choices } from "../../reference/choices.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { findingOf } from "../contract/findings.ts";
import { drawnCases } from "../drawn-cases.ts";
import { judgeSimulated } from "../kill-matrix/simulated.ts";
import { TELLING_LOAD_MS } from "./load-lasting.ts";

/** Whose balances are in credits, in USD, and in credits of another size. */
const SEEDS = [702, 703, 704] as const;

/** A balance of one amount that tells what is left, and charges that come one by one. */
const PLAIN = { balanceOf: "left", included: "no", booked: "singly" } as const;

async function accountingOf(seed: number, payments: Choices["payments"]) {
  const { variant, choices } = healthyService(seed);
  const { findings } = await judgeSimulated({
    variant,
    choices: { ...choices, ...PLAIN, payments, creditViews: "4" },
    only: ["load.accounting"],
    seed,
    loadMs: TELLING_LOAD_MS,
  });
  return findingOf(findings, "load.accounting");
}

describe("a cached balance", () => {
  it.each(drawnCases("with payments", SEEDS, 3))(
    "blames no job for a payment or a fee: seed %i",
    async (seed) => {
      for (const payments of ["no", "each-700th", "fees"] as const) {
        const { verdict, summary } = await accountingOf(seed, payments);
        expect(verdict, `${payments}: ${summary}`).toBe("kept");
      }
    },
  );
});
