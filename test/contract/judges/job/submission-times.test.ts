/** Times of submissions: local ones beside the Date of the responses, and one for several jobs. */

import { expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import { promisesWith } from "../../findings.ts";
import { run, T0 } from "./fixtures.ts";
import { VARIANTS } from "./table.ts";

const HOUR_MS = 3_600_000;

/** The service's clock, and that of its `Date`, ahead by so much; null: no Date. */
const CASES: readonly (readonly [string, number, number | null, readonly string[]])[] = [
  ["two hours beside a right Date", 2 * HOUR_MS, 0, ["job.timestamps"]],
  ["four hours and a half less beside a right Date", -4.5 * HOUR_MS, 1_000, ["job.timestamps"]],
  ["two hours, as the Date is", 2 * HOUR_MS, 2 * HOUR_MS, []],
  ["two hours, without a Date", 2 * HOUR_MS, null, []],
  ["seven minutes beside a right Date", 7 * 60_000, 0, []],
  ["nothing beside a Date that is two hours ahead", 0, 2 * HOUR_MS, []],
];

it.each(CASES.flatMap((each) => VARIANTS.map((variant) => [...each, variant] as const)))(
  "%s: %#",
  (_, offsetMs, dateMs, breaks, variant) => {
    const date = dateMs === null ? {} : { date: new Date(T0 + dateMs).toUTCString() };
    const histories = run({
      variant,
      offsetMs,
      history: (each) => ({ ...each, submission: { ...each.submission, headers: date } }),
    });
    expect(promisesWith(judgeJobs(histories), "broken")).toEqual(breaks);
  },
);

const sameFor = () => T0;

it.each([
  ["the same over a minute", 20_000, sameFor, ["job.timestamps"]],
  ["the same over 15 s", 5_000, sameFor, []],
  ["each its own", 20_000, (n: number) => T0 + 20_000 * n, []],
] as const)("jobs that tell of times: %s", (_, apartMs, toldMs, breaks) => {
  const histories = [0, 1, 2, 3].flatMap((n) => {
    const createdAt = new Date(toldMs(n)).toISOString();
    return run({
      variant: "B",
      ends: ["completed"],
      polls: { completed: [] },
      editAccepted: (body) => ({ ...body, job_uuid: `job-${n}`, submitted_at: createdAt }),
      history: ({ submission, ...each }) => {
        const moved = { sentAtMs: T0 + apartMs * n, receivedAtMs: T0 + apartMs * n + 10 };
        return { ...each, submission: { ...submission, ...moved } };
      },
    });
  });
  expect(promisesWith(judgeJobs(histories), "broken")).toEqual(breaks);
});
