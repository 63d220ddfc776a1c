/** A job that ran twice and was told of twice: said once, by `webhook.once`. */

import { expect, it } from "vitest";
import { T0 } from "../answers.ts";
import type { CaseTable } from "./healthy-run.ts";
import {
  caseOf,
  doubts,
  ERROR,
  HEALTHY,
  NO_CASES,
  OK,
  runWith,
  webhookFinding,
} from "./healthy-run.ts";

/** The job as the attempts tell it, whose ends lie so long after its submission, in ms. */
const telling = (...endsMs: readonly number[]) => ({
  body: (healthy: Record<string, unknown>, attempt: number) => ({
    ...healthy,
    worker: "echo",
    created_at: new Date(T0 + 3).toISOString(),
    completed_at: new Date(T0 + (endsMs[attempt - 1] ?? 0)).toISOString(),
  }),
});

const RAN_TWICE = {
  first: () => [...HEALTHY.first(), caseOf("first", [0, 1_300], telling(901, 2_201))],
  recovery: () => [
    ...HEALTHY.recovery(),
    caseOf("recovery", [0, 1_300, 5_002], {
      ...telling(901, 2_201, 901),
      script: [ERROR, OK, OK],
    }),
  ],
  ladder: () => [
    ...HEALTHY.ladder(),
    caseOf(
      "ladder",
      [0, 1_300, 5_002, 6_302, 35_004, 36_304],
      telling(901, 2_201, 901, 2_201, 901, 2_201),
    ),
  ],
} satisfies CaseTable;

it("breaks no promise of attempts where a job's second run is told of beside the first", () => {
  expect(doubts(runWith(RAN_TWICE))).toEqual({ "webhook.once": "broken" });
});

it("says so where no other job tells of a promise", () => {
  const twice = caseOf("ladder", [0, 1_300, 5_002, 6_302], telling(901, 2_201, 901, 2_201));
  const { verdict, reason } = webhookFinding(
    "webhook.wait-1",
    runWith({ ...NO_CASES, ladder: () => [twice] }),
  );
  expect([verdict, reason]).toEqual([
    "unobserved",
    expect.stringMatching(/^1 job does not count, as deliveries at one address told of two runs/),
  ]);
});

it("goes on judging attempts that each tell an end of their own", () => {
  const retried = caseOf("recovery", [0, 9_002], { ...telling(901, 9_901) });
  const found = doubts(runWith({ recovery: () => [...HEALTHY.recovery(), retried] }));
  expect(found).toMatchObject({ "webhook.wait-1": "broken" });
});

/** Later than a sender waits for. Spec §6. */
const LATE_OK = { ...OK, delayMs: 11_000 };

/** The same deliveries, from a second sender so long after the first. */
const SENT_TWICE = {
  first: () => [...HEALTHY.first(), caseOf("first", [0, 2_000])],
  recovery: () => [
    ...HEALTHY.recovery(),
    caseOf("recovery", [0, 2_000, 5_002], { script: [ERROR, OK, OK] }),
  ],
  ladder: () => [
    ...HEALTHY.ladder(),
    caseOf("ladder", [0, 2_000, 5_002, 7_002, 35_004, 37_004, 335_006, 337_006]),
  ],
} satisfies CaseTable;

it.each([
  ["failure", [0, 2_000, 7_002, 15_004, 37_004], [{ kind: "silent" }, ERROR, ERROR, OK, OK]],
  ["200", [0, 2_000, 15_001], [LATE_OK, OK, OK]],
  ["200 to the second", [0, 2_000, 5_002, 17_003], [ERROR, LATE_OK, OK, OK]],
] as const)("tells two senders where a retry comes after a slow %s", (_, timesMs, script) => {
  const slow = caseOf("ladder", timesMs, { script: [...script] });
  const { reason } = webhookFinding(
    "webhook.wait-1",
    runWith({ ...NO_CASES, ladder: () => [slow] }),
  );
  expect(reason).toMatch(/^1 job does not count, as deliveries at one address came from two/);
});

it("goes on judging where a failure with a slow body is not followed", () => {
  const drip = { ...ERROR, bodyMs: 12_000 };
  const early = caseOf("ladder", [0, 2_000, 5_002], { script: [ERROR, drip, OK] });
  const found = doubts(runWith({ ladder: () => [...HEALTHY.ladder(), early] }));
  expect(found).toMatchObject({ "webhook.wait-1": "broken" });
});

it("breaks no promise of attempts where a second sender keeps to the schedule as well", () => {
  expect(doubts(runWith(SENT_TWICE))).toEqual({ "webhook.once": "broken" });
});

it.each([
  ["a sender that waits 2 s at first", [0, 2_000, 32_002, 332_004], ["webhook.wait-1"]],
  [
    "a sender of further attempts",
    [0, 2_000, 5_002, 35_004, 335_006],
    ["webhook.wait-1", "webhook.gives-up"],
  ],
  [
    "two senders, of which one is early",
    [0, 2_000, 3_002, 7_002, 33_004, 37_004, 333_006, 337_006],
    ["webhook.wait-1"],
  ],
] as const)("goes on judging %s", (_, timesMs, promises) => {
  const own = [...HEALTHY.ladder(), caseOf("ladder", timesMs)];
  const found = doubts(runWith({ ladder: () => own }));
  for (const promise of promises) expect(found).toMatchObject({ [promise]: "broken" });
});

it("takes attempts of one schedule for those of one run, whatever ends they tell", () => {
  const flapping = caseOf("recovery", [0, 5_002, 35_004], {
    ...telling(901, 2_201, 901),
    script: [ERROR, ERROR, OK],
  });
  const { reason } = webhookFinding(
    "webhook.wait-1",
    runWith({ ...NO_CASES, recovery: () => [flapping] }),
  );
  expect(reason).toBeNull();
});
