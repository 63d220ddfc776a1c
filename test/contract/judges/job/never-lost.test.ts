/** The judge of lost jobs: gone, stuck, or merely not followed to the end. */

import { describe, expect, it } from "vitest";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { EndState } from "../../../../contract/states.ts";
import type { Finding } from "../../../../contract/verdict.ts";
import { findingOf } from "../../findings.ts";
import type { PollPlan } from "./fixtures.ts";
import { pollsTo, run, T0 } from "./fixtures.ts";
import { answered, standing, submittedAfter } from "./polled.ts";
import { VARIANTS } from "./table.ts";

interface Row {
  variants?: typeof VARIANTS;
  name: string;
  polls: readonly PollPlan[];
  verdict: Finding["verdict"];
  /** Whether the observer waited for the whole deadline of 10 s in vain. */
  gaveUp?: boolean;
  /** Ends of the other jobs of the run. */
  others?: readonly EndState[];
  /** Whether the other jobs were submitted before this one. */
  othersEarlier?: boolean;
  /** Its worker's limit and a margin; 5 s unless told. */
  lostAfterMs?: number | null;
}

/** Found again, until its end. */
const later: readonly PollPlan[] = [
  { state: "running", at: 3_000 },
  { state: "completed", at: 4_000 },
];

const ROWS: readonly Row[] = [
  { name: "a job that ends", polls: pollsTo("completed"), verdict: "kept" },
  {
    name: "a job that is not found twice, 1 s apart",
    polls: [...pollsTo("completed").slice(0, 2), ...answered(404, 3_000, 4_000)],
    verdict: "broken",
  },
  {
    name: "a job that is gone after its end",
    polls: [...pollsTo("completed"), ...answered(404, 9_000, 10_000)],
    verdict: "broken",
  },
  {
    name: "a job that is answered 410 from its end on",
    polls: [...pollsTo("completed"), ...answered(410, 9_000, 10_000)],
    verdict: "broken",
  },
  {
    name: "a job that was never found",
    polls: answered(404, 100, 1_200, 2_400),
    verdict: "broken",
  },
  {
    name: "a job that is not found twice within 1 s",
    polls: [...pollsTo("completed").slice(0, 2), ...answered(404, 3_000, 3_900)],
    verdict: "inconclusive",
  },
  {
    name: "a job that is not found once at last",
    polls: [...pollsTo("completed"), ...answered(404, 9_000)],
    verdict: "inconclusive",
  },
  {
    name: "a job that not all replicas know for 2 s",
    polls: [...pollsTo("completed").slice(0, 1), ...answered(404, 700, 1_800), ...later],
    verdict: "kept",
  },
  {
    name: "a job that was there and is not found for a while after that",
    polls: [...pollsTo("completed").slice(0, 1), ...answered(404, 1_700, 2_800), ...later],
    verdict: "broken",
  },
  {
    name: "a job that is found only after a second",
    polls: [...answered(404, 10, 600, 1_100), ...pollsTo("completed").slice(2)],
    verdict: "kept",
  },
  {
    name: "a job that is not found for its first 8 s, while another is read",
    polls: [...answered(404, 500, 5_600, 6_700, 7_800), { state: "completed", at: 9_000 }],
    others: ["failed"],
    verdict: "broken",
  },
  {
    name: "a job that is not found for its first 5 s, while another is read",
    polls: [...answered(404, 500, 3_000, 4_900), { state: "completed", at: 6_000 }],
    others: ["failed"],
    verdict: "kept",
  },
  {
    name: "a job that is not found for 1 s in between",
    polls: [
      ...pollsTo("completed").slice(0, 2),
      ...answered(404, 2_000, 3_000),
      ...pollsTo("completed").slice(2),
    ],
    verdict: "broken",
  },
  {
    name: "polls without an answer in between",
    polls: [
      ...pollsTo("completed").slice(0, 2),
      ...answered(0, 2_000),
      ...answered(503, 2_500),
      ...answered(429, 3_000),
      ...pollsTo("completed").slice(2),
    ],
    verdict: "kept",
  },
  {
    name: "a job that is refused now and then",
    polls: [
      ...pollsTo("completed").slice(0, 2),
      ...answered(403, 1_500),
      ...answered(409, 5_000),
      ...pollsTo("completed").slice(3),
    ],
    verdict: "kept",
  },
  {
    name: "a job that is refused now and then, and found in between",
    polls: [
      ...answered(409, 100),
      ...pollsTo("completed").slice(1, 2),
      ...answered(409, 5_000),
      ...pollsTo("completed").slice(3),
    ],
    verdict: "broken",
  },
  {
    name: "a job that is answered without a body where it is as before",
    polls: [
      ...pollsTo("completed").slice(0, 2),
      ...answered(304, 1_100),
      ...later.slice(0, 1),
      ...answered(304, 5_000),
      { state: "completed", at: 6_000 },
    ],
    verdict: "broken",
  },
  {
    name: "a job that is refused twice within 3 s",
    polls: [
      ...answered(401, 100),
      { state: "running", at: 1_000 },
      ...answered(401, 3_000),
      ...later.slice(1),
    ],
    verdict: "kept",
  },
  {
    name: "a job whose key two machines do not know for a moment each",
    polls: [
      ...answered(401, 100),
      { state: "running", at: 1_000 },
      ...answered(401, 6_000),
      { state: "completed", at: 7_000 },
    ],
    verdict: "kept",
  },
  {
    name: "a job whose key is not known for 10 s, while another is read",
    polls: [...answered(401, 500, 5_000, 10_600), { state: "completed", at: 11_000 }],
    others: ["failed"],
    verdict: "broken",
  },
  {
    name: "a job whose polls fail for 10 s, while another is read",
    polls: [...answered(500, 500, 5_000, 10_600), { state: "completed", at: 11_000 }],
    others: ["failed"],
    verdict: "broken",
  },
  {
    name: "a job whose polls fail for 10 s, as all do",
    polls: [...answered(500, 500, 5_000, 10_600), { state: "completed", at: 11_000 }],
    verdict: "kept",
  },
  {
    name: "a job whose polls fail for 5 s",
    polls: [...answered(500, 500, 3_000, 5_600), { state: "completed", at: 6_000 }],
    others: ["failed"],
    verdict: "kept",
  },
  {
    name: "a job that runs for ever",
    polls: standing("running"),
    gaveUp: true,
    verdict: "broken",
  },
  {
    name: "a job that runs for the whole wait, which was shorter than its worker's limit",
    polls: standing("running"),
    gaveUp: true,
    lostAfterMs: 330_000,
    verdict: "inconclusive",
  },
  {
    name: "a job that runs for the whole wait, of a worker whose limit is not known",
    polls: standing("running"),
    gaveUp: true,
    lostAfterMs: null,
    verdict: "inconclusive",
  },
  {
    name: "a job that starts up for the whole wait, of which no limit speaks",
    variants: ["B"],
    polls: standing("starting"),
    gaveUp: true,
    verdict: "inconclusive",
  },
  {
    name: "a job that others overtook in the queue, as in a stack or in shards",
    polls: standing("queued"),
    gaveUp: true,
    others: ["completed", "failed", "completed"],
    verdict: "inconclusive",
  },
  {
    name: "a job that is still queued behind others",
    polls: standing("queued"),
    gaveUp: true,
    others: ["completed"],
    othersEarlier: true,
    verdict: "inconclusive",
  },
  {
    name: "a job that only cancelled ones overtook",
    polls: standing("queued"),
    gaveUp: true,
    others: ["cancelled"],
    verdict: "inconclusive",
  },
  {
    name: "a job that had just begun to run",
    polls: [...standing("queued").slice(0, 5), { state: "running", at: 9_900 }],
    gaveUp: true,
    verdict: "inconclusive",
  },
  {
    name: "a job that had just begun to run, beside one that ended",
    polls: [...standing("queued").slice(0, 5), { state: "running", at: 9_900 }],
    gaveUp: true,
    others: ["completed"],
    verdict: "kept",
  },
  {
    name: "a job that runs for the whole wait, beside one that ended",
    polls: standing("running"),
    gaveUp: true,
    others: ["completed"],
    lostAfterMs: 330_000,
    verdict: "inconclusive",
  },
  {
    name: "a job that could not be read at all",
    polls: answered(503, 100, 2_000, 9_000),
    gaveUp: true,
    verdict: "inconclusive",
  },
  {
    name: "a job that was not followed to its end",
    polls: standing("running"),
    lostAfterMs: 330_000,
    verdict: "unobserved",
  },
  {
    name: "a job that was not followed, beside one that ended",
    polls: standing("running"),
    others: ["failed"],
    lostAfterMs: 330_000,
    verdict: "kept",
  },
  {
    name: "a job that was not followed, and was seen running twice, a limit and a margin apart",
    polls: [standing("running")[1], standing("running")[5]].flatMap((poll) => poll ?? []),
    verdict: "broken",
  },
  {
    name: "a job that is queued for long and was not followed",
    polls: standing("queued"),
    verdict: "unobserved",
  },
  {
    name: "a job that was seen running once, late, and tells no start",
    variants: ["A"],
    polls: standing("running").slice(-1),
    verdict: "unobserved",
  },
  {
    name: "a job that was seen running once, beyond its worker's limit after the start it tells",
    variants: ["B"],
    polls: standing("running").slice(-1),
    verdict: "broken",
  },
];

describe("job.never-lost", () => {
  const cases = ROWS.flatMap((row) =>
    (row.variants ?? VARIANTS).map((variant) => ({ ...row, variant })),
  );
  it.each(cases)("$name ($variant): $verdict", (row) => {
    const [subject] = run({
      variant: row.variant,
      ends: ["completed"],
      polls: { completed: row.polls },
      history: (history) => ({
        ...history,
        gaveUpAtMs: row.gaveUp ? T0 + 10_010 : null,
        lostAfterMs: row.lostAfterMs === undefined ? 5_000 : row.lostAfterMs,
      }),
    });
    const others = run({ variant: row.variant, ends: row.others ?? [] }).map((other) =>
      submittedAfter(other, row.othersEarlier ? -1_000 : 1_000),
    );
    const histories = subject === undefined ? others : [subject, ...others];
    expect(findingOf(judgeJobs(histories), "job.never-lost").verdict).toBe(row.verdict);
  });

  it("a job whose last status is undocumented is left to job.known-states", () => {
    const histories = run({
      variant: "B",
      edit: (body, poll) =>
        poll.end === "failed" && poll.state === "failed"
          ? Object.assign(body, { status: "DEAD" })
          : undefined,
      history: (history) => ({ ...history, gaveUpAtMs: T0 + 10_010 }),
    });
    expect(findingOf(judgeJobs(histories), "job.never-lost").verdict).toBe("kept");
  });
});
