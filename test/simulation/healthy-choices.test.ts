/**
 * The healthy service keeps every promise in the simulation where nothing is in the way, whatever
 * it chooses where the spec leaves it open: every lawful value is in one of a few services, of both
 * variants in turn. Where something is in the way, see worlds.test.ts.
 */

import { describe, expect, it } from "vitest";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { HealthyRun } from "../healthy/conditions.ts";
import { mixesInTurn } from "../healthy/conditions.ts";
import { judgeSimulated } from "../kill-matrix/simulated.ts";
import { TELLING_LOAD_MS } from "./load-lasting.ts";

/** What a variant withholds from the suite, and a service on which no job queues. */
function withheldBy({ variant, choices }: HealthyRun): readonly string[] {
  return [
    ...(variant === "A" ? ["job.files unobserved", "job.files-readable unobserved"] : []),
    ...(choices.slots === "unlimited" ? ["cancel.queued unobserved"] : []),
    // By whole cents, one job of a cent does not tell what a credit is in USD.
    ...(variant === "A" && choices.balanceUnit === "usd" && choices.balanceDigits === "coarse"
      ? ["load.accounting unobserved", "load.accounting inconclusive"]
      : []),
    // Payments may come amid all loads but two.
    ...(choices.payments === "each-700th" && choices.balanceDigits === "coarse"
      ? ["load.accounting unobserved"]
      : []),
    // A job may move it by nothing that shows: that depends on which jobs a run has.
    ...(choices.balanceUnit === "tokens" && choices.balanceDigits === "coarse"
      ? ["load.accounting unobserved"]
      : []),
    // A debt is told by no name: a job has to move it.
    ...(choices.balanceOf === "owed" &&
    (choices.balanceDigits === "coarse" || isInWholeTokens(choices))
      ? ["load.accounting unobserved"]
      : []),
  ];
}

function isInWholeTokens({ balanceUnit, chargeStep }: HealthyRun["choices"]): boolean {
  return balanceUnit === "tokens" && chargeStep === "nearest";
}

function notKept({ findings }: RunResult): readonly string[] {
  return findings
    .filter(({ verdict }) => verdict !== "kept")
    .map(({ promise, verdict }) => `${promise} ${verdict}`);
}

function redOrOpen(findings: RunResult["findings"]): readonly string[] {
  return findings
    .filter(({ verdict }) => verdict === "broken" || verdict === "inconclusive")
    .map(({ summary }) => summary);
}

describe("a healthy service", () => {
  const runs = mixesInTurn().map((run) => ({ run, title: `variant ${run.variant}, ${run.name}` }));
  it.each(runs)("is seen to keep every promise: $title", async ({ run }) => {
    const { variant, choices, seed } = run;
    const result = await judgeSimulated({
      variant,
      choices,
      only: null,
      seed,
      loadMs: TELLING_LOAD_MS,
    });
    const withheld = withheldBy(run);
    expect(notKept(result).filter((each) => !withheld.includes(each))).toEqual([]);
  });

  const TOKENS = { balanceUnit: "tokens", tokenWorth: "1.33", chargeStep: "nearest" } as const;
  const CACHED = { creditViews: "4", balanceAfter: "3", charge: "end" } as const;
  it.each([
    { ...TOKENS, costBy: "time" },
    { ...TOKENS, ...CACHED, costBy: "time", chargeFailed: "yes", payments: "each-700th" },
  ] as const)(
    "may charge whole tokens that are worth about what costs are in: %o",
    async (choices) => {
      const { findings } = await judgeSimulated({
        variant: "A",
        choices,
        only: ["load.accounting"],
        seed: 7,
      });
      expect(redOrOpen(findings)).toEqual([]);
    },
  );

  it("may take a fee in whole tokens, of which no job tells what one is worth", async () => {
    const { findings } = await judgeSimulated({
      variant: "B",
      choices: {
        ...TOKENS,
        ...{ tokenWorth: "10", chargeStep: "up", costBy: "seconds", payments: "fees" },
        ...{ balanceOf: "owed", balanceDigits: "coarse", creditViews: "4" },
      },
      only: ["load.accounting"],
      seed: 7036,
    });
    expect(redOrOpen(findings)).toEqual([]);
  });
});
