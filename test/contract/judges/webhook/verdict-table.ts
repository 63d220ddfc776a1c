/** Verdicts on watched runs of webhooks as a table: one test a row. */

import { describe, expect, it } from "vitest";
import type { WebhookRun } from "../../../../contract/judges/webhook/case.ts";
import type { PromiseId } from "../../../../contract/promises.ts";
import type { Verdict } from "../../../../contract/verdict.ts";
import { webhookFinding } from "./healthy-run.ts";

type Row = readonly [title: string, run: () => WebhookRun, verdict: Verdict, words: RegExp];

export function table(promise: PromiseId, rows: readonly Row[]): void {
  describe(promise, () => {
    it.each(rows)("%s", (_title, run, verdict, words) => {
      const finding = webhookFinding(promise, run());
      expect([finding.verdict, finding.summary]).toEqual([verdict, expect.stringMatching(words)]);
    });
  });
}
