/** A time of submission that several jobs share. */

import { expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import { promisesWith } from "../../findings.ts";
import { run, T0 } from "./fixtures.ts";

const sameFor = () => T0;
const cutToMinutes = () => T0 - (T0 % 60_000);

it.each([
  ["the same over 45 s", 15_000, sameFor, ["job.timestamps"]],
  ["the same over 15 s", 5_000, sameFor, []],
  ["the same minute over 75 s", 25_000, cutToMinutes, ["job.timestamps"]],
  ["the same minute over 60 s", 20_000, cutToMinutes, []],
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

const behindMs = 40_000;

it.each([
  ["by one machine in three 40 s behind", (n: number) => n % 3 === 0, ["job.timestamps"]],
  ["by a clock that is set", (n: number) => n < 4, []],
  ["by a clock that is off for a while", (n: number) => n > 3 && n < 8, []],
  ["by a clock that is behind for all", () => true, []],
  ["by one machine, twice", (n: number) => n === 2 || n === 7, []],
] as const)("jobs that tell of times %s", (_, isBehind, breaks) => {
  expect(brokenBy((n) => (isBehind(n) ? behindMs : 0))).toEqual(breaks);
});

it.each([
  ["set twice", (n: number) => behindMs * Math.floor(n / 4)],
  ["too slow", (n: number) => 0.25 * behindMs * n],
] as const)("jobs that tell of times by a clock that is %s", (_, behindByMs) => {
  expect(brokenBy(behindByMs)).toEqual([]);
});

function brokenBy(behindByMs: (n: number) => number) {
  const histories = Array.from({ length: 12 }, (_each, n) => {
    const sentAtMs = T0 + 1_000 * n;
    const createdAt = new Date(sentAtMs - behindByMs(n)).toISOString();
    return run({
      variant: "B",
      ends: ["completed"],
      polls: { completed: [] },
      editAccepted: (body) => ({ ...body, job_uuid: `job-${n}`, submitted_at: createdAt }),
      history: ({ submission, ...each }) => {
        return { ...each, submission: { ...submission, sentAtMs, receivedAtMs: sentAtMs + 10 } };
      },
    });
  });
  return promisesWith(judgeJobs(histories.flat()), "broken");
}
