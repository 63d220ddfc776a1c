/** The rules that turn findings into a verdict and an exit code, as a table. */

import { describe, expect, it } from "vitest";

import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { runVerdict } from "../../report/verdict.ts";

interface Row {
  title: string;
  verdicts: Partial<Record<PromiseId, Verdict>>;
  only?: readonly PromiseId[];
  variant?: Variant;
  strict?: boolean;
  interrupted?: boolean;
  expected: [verdict: string, exitCode: number];
}

const ROWS: readonly Row[] = [
  {
    title: "all kept passes",
    verdicts: { "auth.missing-key": "kept", "job.shape": "kept" },
    expected: ["pass", 0],
  },
  {
    title: "one broken fails, whatever else there is",
    verdicts: { "auth.missing-key": "broken", "job.shape": "inconclusive", "rate.burst": "kept" },
    expected: ["fail", 99],
  },
  {
    title: "one inconclusive withholds the verdict",
    verdicts: { "auth.missing-key": "kept", "job.shape": "inconclusive" },
    expected: ["none", 111],
  },
  {
    title: "an unobserved promise does not stand in the way",
    verdicts: { "auth.missing-key": "kept", "job.shape": "unobserved" },
    expected: ["pass", 0],
  },
  {
    title: "an unobserved promise withholds a strict verdict",
    verdicts: { "auth.missing-key": "kept", "job.shape": "unobserved" },
    strict: true,
    expected: ["none", 111],
  },
  {
    title: "nothing kept is no success",
    verdicts: { "auth.missing-key": "unobserved", "job.shape": "unobserved" },
    expected: ["none", 111],
  },
  { title: "no findings at all are no success", verdicts: {}, expected: ["none", 111] },
  {
    title: "what was asked for by name must be judged",
    verdicts: { "auth.missing-key": "kept", "job.shape": "unobserved" },
    only: ["auth.missing-key", "job.shape"],
    expected: ["none", 111],
  },
  {
    title: "what was not asked for does not count",
    verdicts: {
      "auth.missing-key": "kept",
      "job.shape": "unobserved",
      "rate.burst": "inconclusive",
    },
    only: ["auth.missing-key"],
    expected: ["pass", 0],
  },
  {
    title: "strict asks no more than --only names",
    verdicts: { "auth.missing-key": "kept", "job.shape": "unobserved" },
    only: ["auth.missing-key"],
    strict: true,
    expected: ["pass", 0],
  },
  {
    title: "what the target's variant does not promise may be asked for and stay unobserved",
    verdicts: { "job.shape": "kept", "job.files": "unobserved" },
    only: ["job.shape", "job.files"],
    variant: "A",
    expected: ["pass", 0],
  },
  {
    title: "what the target's variant promises must be judged when it is asked for",
    verdicts: { "job.shape": "kept", "job.files": "unobserved" },
    only: ["job.shape", "job.files"],
    variant: "B",
    expected: ["none", 111],
  },
  {
    title: "an unknown variant excuses nothing",
    verdicts: { "job.shape": "kept", "job.files": "unobserved" },
    only: ["job.shape", "job.files"],
    expected: ["none", 111],
  },
  {
    title: "asking for nothing but what the variant does not promise is no success",
    verdicts: { "job.shape": "kept", "job.files": "unobserved" },
    only: ["job.files"],
    variant: "A",
    expected: ["none", 111],
  },
  {
    title: "strict excuses what the variant does not promise",
    verdicts: { "job.shape": "kept", "job.files": "unobserved" },
    strict: true,
    variant: "A",
    expected: ["pass", 0],
  },
  {
    title: "a promise broken that the variant does not make is broken all the same",
    verdicts: { "job.shape": "kept", "job.files": "broken" },
    variant: "A",
    expected: ["fail", 99],
  },
  {
    title: "a promise kept that nobody asked for does not save the run",
    verdicts: { "auth.missing-key": "kept" },
    only: ["job.shape"],
    expected: ["none", 111],
  },
  {
    title: "an interrupted run never passes",
    verdicts: { "auth.missing-key": "kept" },
    interrupted: true,
    expected: ["none", 105],
  },
  {
    title: "an interrupted run still knows what it saw broken",
    verdicts: { "auth.missing-key": "broken" },
    interrupted: true,
    expected: ["fail", 105],
  },
];

describe("runVerdict", () => {
  it.each(ROWS)("$title", (row) => {
    const findings = Object.entries(row.verdicts).map(([promise, verdict]) => ({
      promise: promise as PromiseId,
      verdict,
    }));
    const { verdict, exitCode } = runVerdict({
      findings,
      only: row.only ?? null,
      strict: row.strict ?? false,
      interrupted: row.interrupted ?? false,
      variant: row.variant ?? null,
    });
    expect([verdict, exitCode]).toEqual(row.expected);
  });
});
