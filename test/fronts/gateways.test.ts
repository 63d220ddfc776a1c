/**
 * A healthy service keeps its promises behind a gateway, too, and a faulty one is found there: with
 * real k6, over HTTPS and HTTP/2.
 */

import { afterAll, describe, expect, it } from "vitest";
import type { RunResult } from "../../contract/run/run-result.ts";
import { findingOf } from "../contract/findings.ts";
import type { Condition } from "../kill-matrix/condition.ts";
import { openJudges } from "../kill-matrix/judges.ts";
import { RATE_KEYS } from "../kill-matrix/real/keys.ts";
import type { FrontKind } from "./front.ts";
import { trustAuthority } from "./trusted-authority.ts";

/** Ours: a run of all promises takes 90 s on idle cores. */
const TIMEOUT_MS = 600_000;

const judges = openJudges("real", 1);
trustAuthority();
afterAll(() => judges.close());

async function judge(condition: Condition): Promise<RunResult> {
  const { result, error } = await judges.judge(condition);
  if (result === null) throw new Error(error ?? "the run has no result");
  return result;
}

const KINDS: readonly FrontKind[] = ["nginx", "haproxy"];

describe.each(KINDS)("behind %s", (front) => {
  it.each(["A", "B"] as const)(
    "a healthy service of variant %s keeps all promises",
    { timeout: TIMEOUT_MS },
    async (variant) => {
      const { findings } = await judge({ variant, only: null, front });
      const notKept = findings.filter(({ verdict }) => verdict !== "kept");
      const withheld = variant === "A" ? ["job.files unobserved"] : [];
      expect(notKept.map(({ promise, verdict }) => `${promise} ${verdict}`)).toEqual(withheld);
    },
  );

  it.each([
    ["rate.sustained/15-percent-over", "rate.sustained", RATE_KEYS],
    ["rate.retry-after-present/never", "rate.retry-after-present", RATE_KEYS],
    ["submit.accepted-status/answers-200", "submit.accepted-status", undefined],
    ["webhook.once/twice", "webhook.once", undefined],
  ] as const)("%s is found", { timeout: TIMEOUT_MS }, async (fault, promise, keys) => {
    const condition: Condition = { variant: "B", faults: [fault], only: [promise], front };
    const { findings } = await judge(keys === undefined ? condition : { ...condition, keys });
    expect(findingOf(findings, promise)).toMatchObject({ verdict: "broken" });
  });
});
