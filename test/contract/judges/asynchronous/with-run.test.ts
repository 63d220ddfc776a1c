/** Answers that take as long as the jobs of a worker, whatever those take. */

import { expect, it } from "vitest";
import { judgeAnsweredWithRun } from "../../../../contract/judges/asynchronous/with-run.ts";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { iso, run, T0 } from "../job/fixtures.ts";

interface Life {
  answeredMs: number;
  queuedMs: number;
  runMs: number;
}

const COUNT = 20;
const RUNS_MS = Array.from({ length: COUNT }, (_, n) => 200 + 40 * ((n * 7) % COUNT));

function job({ answeredMs, queuedMs, runMs }: Life) {
  const finishedMs = T0 + queuedMs + runMs;
  const times = {
    submitted_at: iso(T0),
    started_at: iso(T0 + queuedMs),
    finished_at: iso(finishedMs),
    duration_ms: runMs,
  };
  return run({
    variant: "B",
    ends: ["completed"],
    polls: { completed: [{ state: "completed", at: answeredMs + queuedMs + runMs }] },
    edit: (body) => ({ ...body, timestamps: times }),
    history: ({ submission, ...each }) => {
      const receivedAtMs = submission.sentAtMs + answeredMs;
      return { ...each, submission: { ...submission, receivedAtMs } };
    },
  });
}

/** From 0 to 500 ms, apart from the runs' lengths. */
const noise = (n: number) => ((n * 131) % COUNT) * 25;

it.each([
  ["as their jobs end", (runMs: number) => ({ answeredMs: runMs + 90, queuedMs: 60 }), 1],
  [
    "as jobs end that waited for any time",
    (runMs: number, n: number) => ({ answeredMs: noise(n) + runMs + 30, queuedMs: noise(n) }),
    1,
  ],
  ["at once", () => ({ answeredMs: 12, queuedMs: 60 }), 0],
  ["after half the run", (runMs: number) => ({ answeredMs: runMs / 2, queuedMs: 0 }), 0],
  ["late, whatever the run", () => ({ answeredMs: 1_500, queuedMs: 10 }), 0],
  [
    "once a job is stored, which takes any time",
    (_: number, n: number) => ({ answeredMs: noise(n) + 800, queuedMs: noise(n) }),
    0,
  ],
] as const)("answers that come %s", (_, lifeOf, findings) => {
  const jobs = RUNS_MS.flatMap((runMs, n) => job({ runMs, ...lifeOf(runMs, n) }));
  expect(judgeAnsweredWithRun(readHistories(jobs))).toHaveLength(findings);
  expect(judgeAnsweredWithRun(readHistories(jobs.slice(0, 8)))).toEqual([]);
});

it("runs of one length tell nothing", () => {
  const jobs = RUNS_MS.flatMap((_, n) =>
    job({ runMs: 5 + (n % 3), answeredMs: 900, queuedMs: 880 }),
  );
  expect(judgeAnsweredWithRun(readHistories(jobs))).toEqual([]);
});
