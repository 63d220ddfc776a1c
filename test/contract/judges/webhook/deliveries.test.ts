/** Whether webhooks come, once, in time, and only where one was asked for: judged case by case. */

import { expect, it } from "vitest";
import type { EndState } from "../../../../contract/states.ts";
import { T0, withJson } from "../answers.ts";
import { caseOf, doubts, FIRST_AT, HEALTHY, NO_CASES, pollAt, runWith } from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const NONE = { deliveries: [], looks: [] };
const NOTHING_CAME = { ...NO_CASES, first: () => [caseOf("first", [])] };
const without = (endSeen: "failed" | "cancelled") => [
  ...HEALTHY.first(),
  caseOf("first", [], { endSeen, part: "slow", ...NONE }),
];

/** Two jobs whose attempts came then at an address that fails, and one of which none came. */
function atOneAddress(...arrivedMs: readonly (readonly number[])[]) {
  const failing = { isOtherFailing: true };
  const others = arrivedMs.map((ms) => caseOf("ladder", ms, failing));
  const silent = caseOf("ladder", [], { ...NONE, ...failing });
  return runWith({ ladder: () => [...others, silent] });
}

/** Delivered at that time; the poll that showed its end was sent so much later. */
const polled = (ms: number, laterMs = -1, endSeen: EndState = "completed") =>
  caseOf("first", [ms], { endPolledAtMs: FIRST_AT + ms + laterMs, endSeen });
const timedOut = (ms: number, laterMs = -1) => polled(ms, laterMs, "timeout");
const FAST = [polled(20, 50), polled(20, 50)];

it("finds nothing wrong with a healthy run", () => {
  expect(doubts(runWith())).toEqual({});
});

table("webhook.delivered", [
  ["every ended job was delivered", () => runWith(), "kept", /completed, failed, timeout, canc/],
  [
    "a cancelled job was not",
    () => runWith({ first: () => without("cancelled") }),
    "broken",
    /1 of 2\d jobs had ended without a webhook by POST.*\(slow\) had ended as cancelled by/,
  ],
  [
    "it came late, as nothing says how soon",
    () => runWith({ first: () => [...HEALTHY.first(), caseOf("first", [30_000])] }),
    "kept",
    /delivered/,
  ],
  ...(
    [
      ["a job ended just before the run was over", ["completed"], "kept", /late to wait for a/],
      ["so did several", ["completed", "completed"], "inconclusive", /too late to wait/],
      ["so did the only one of its end", ["timeout"], "inconclusive", /too late to wait/],
    ] as const
  ).map(([title, ends, verdict, words]) => {
    const brief = { ...NONE, watchedUntilMs: FIRST_AT + 5_000 };
    const last = () => ends.map((endSeen) => caseOf("first", [], { ...brief, endSeen }));
    const first = () => [
      ...HEALTHY.first().filter(({ endSeen }) => endSeen !== "timeout"),
      ...last(),
    ];
    return [title, () => runWith({ first }), verdict, words] as const;
  }),
  [
    "nothing came, and nothing has shown that the service reaches the receiver",
    () => runWith(NOTHING_CAME, { receiverReach: "unknown" }),
    "inconclusive",
    /can reach the receiver/,
  ],
  [
    "nothing came, at least not to an address at which deliveries of others failed",
    () => {
      const last = caseOf("ladder", [], { ...NONE, isOtherFailing: true });
      return runWith({ first: () => [...HEALTHY.first(), last] });
    },
    "inconclusive",
    /not delivered to an address at which those of others failed/,
  ],
  [
    "nothing came of a job to an address at which others were tried in turns, and on",
    () => atOneAddress([0, 5_000, 35_000, 335_000], [400, 5_400, 35_400, 335_400]),
    "broken",
    /1 of \d+ jobs had ended without a webhook by POST/,
  ],
  [
    "nothing came of it there, and one of the others waited for the other's last retry",
    () => atOneAddress([0, 5_000, 35_000, 335_000], [336_000, 341_000, 371_000, 671_000]),
    "inconclusive",
    /not delivered to an address at which those of others failed/,
  ],
  [
    "nothing came of it there, and nothing of others any more",
    () => atOneAddress([0, 5_000], [400, 5_400]),
    "inconclusive",
    /not delivered to an address at which those of others failed/,
  ],
  [
    "nothing came of it there for no longer than a wait may be",
    () => {
      const run = atOneAddress([0, 5_000, 35_000, 335_000], [400, 5_400, 35_400, 335_400]);
      const cut = { watchedUntilMs: FIRST_AT + 340_000 };
      return { ...run, cases: run.cases.map((each) => ({ ...each, ...cut })) };
    },
    "inconclusive",
    /not delivered to an address at which those of others failed/,
  ],
  [
    "nothing came to any address, one of which failed for others",
    () => {
      const shared = caseOf("ladder", [], { ...NONE, isOtherFailing: true });
      const cases = [caseOf("first", [], NONE), caseOf("first", [], NONE), shared];
      return runWith({ ...NO_CASES, first: () => cases }, { receiverReach: "unknown" });
    },
    "inconclusive",
    /can reach the receiver/,
  ],
  [
    "nothing came, though something had before",
    () => runWith(NOTHING_CAME, { receiverReach: "seen", isLocal: false }),
    "broken",
    /had ended as .* no webhook arrived until/,
  ],
  [
    "one of all did not come, so that the others show the way",
    () => runWith({ first: () => without("failed") }, { receiverReach: "unknown" }),
    "broken",
    /1 of \d+ jobs had ended/,
  ],
  ["no job ended", () => runWith(NO_CASES), "unobserved", /no job with a webhook ended/],
  [
    "each came at the poll that showed its end, however long after it",
    () => runWith({ ...NO_CASES, first: () => [9_000, 34_000].map((ms) => polled(ms)) }),
    "broken",
    /1 of 2 jobs .* and its webhook came at .*, when it was first polled/,
  ],
  [
    "one came without a poll",
    () => runWith({ ...NO_CASES, first: () => [polled(9_000), polled(34_000), polled(9_000, 50)] }),
    "kept",
    /3 ended jobs/,
  ],
  [
    "each came half a minute after its end, one of them as it was polled",
    () => runWith({ ...NO_CASES, first: () => [polled(34_000), polled(34_000, -25_000)] }),
    "kept",
    /2 ended jobs/,
  ],
  [
    "each came as it was polled, all at one age",
    () => runWith({ ...NO_CASES, first: () => [34_000, 34_000].map((ms) => polled(ms)) }),
    "kept",
    /2 ended jobs/,
  ],
  [
    "timeouts came at polls alone, however long after their ends, and others at once",
    () =>
      runWith({
        ...NO_CASES,
        first: () => [...FAST, ...[900, 34_000, 35_000].map((ms) => timedOut(ms))],
      }),
    "broken",
    /2 of 5 jobs .* and its webhook came at .*, when it was first polled/,
  ],
  [
    "one timeout came at a poll alone, which may be chance",
    () => runWith({ ...NO_CASES, first: () => [...FAST, timedOut(900), timedOut(34_000)] }),
    "kept",
    /4 ended jobs/,
  ],
  [
    "timeouts came half a minute after their ends, one of them without a poll",
    () => {
      const late = [timedOut(34_000), timedOut(35_000), timedOut(34_000, -25_000), timedOut(900)];
      return runWith({ ...NO_CASES, first: () => [...FAST, ...late] });
    },
    "kept",
    /6 ended jobs/,
  ],
]);

const open = pollAt({ id: "job-x", state: "running", endedMs: 0 });
const ending = (endedMs: number) =>
  pollAt(
    { id: "job-x", state: "completed", endedMs },
    { sentAtMs: FIRST_AT + 9_030, receivedAtMs: FIRST_AT + 9_040 },
  );

const openLong = pollAt(
  { id: "job-x", state: "running", endedMs: 0 },
  { sentAtMs: FIRST_AT + 4_030, receivedAtMs: FIRST_AT + 4_040 },
);
const undated = withJson(
  200,
  { job_uuid: "job-x", status: "cancelled", worker: "echo" },
  { sentAtMs: FIRST_AT + 9_030, receivedAtMs: FIRST_AT + 9_040 },
);

table("webhook.not-before-terminal", [
  ["all polls show the end", () => runWith(), "kept", /had ended/],
  [
    "a poll shows the job under way for longer after the arrival than views lag",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [openLong] })] }),
    "broken",
    /1 of \d+ jobs: job-\d+, attempt 1 .* before the job had ended/,
  ],
  [
    "a poll shows it so while a view may lag, and none shows its end",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [open] })] }),
    "kept",
    /1 were shown as not ended by a stale view/,
  ],
  [
    "such a job ended later, by its own time",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [open, ending(9_000)] })] }),
    "broken",
    /1 of \d+ jobs: job-\d+, attempt 1 .* before the job had ended/,
  ],
  [
    "such a job had ended before, by its own time",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [open, ending(900)] })] }),
    "kept",
    /1 were shown as not ended by a stale view/,
  ],
  [
    "such a job ended a little later, by the clock of one of the service's machines",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [open, ending(1_400)] })] }),
    "inconclusive",
    /clocks that differ/,
  ],
  [
    "such a job ended seconds later, a moment after the last look that showed it under way",
    () => {
      const looks = [open, openLong, ending(5_200)];
      return runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks })] });
    },
    "broken",
    /1 of \d+ jobs: job-\d+, attempt 1 .* before the job had ended/,
  ],
  [
    "such a job ended and tells no time of it, so that a view may have lagged",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [open, undated] })] }),
    "kept",
    /1 were shown as not ended by a stale view/,
  ],
  [
    "no job tells a time of its end, and a view may have lagged",
    () => {
      const only = caseOf("first", [0], { looks: [open, undated] });
      return runWith({ ...NO_CASES, first: () => [only] });
    },
    "inconclusive",
    /when it ended is unknown/,
  ],
  [
    "such a job ended, tells no time of it, and was shown so for longer than views lag",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { looks: [openLong, undated] })] }),
    "broken",
    /1 of \d+ jobs: job-\d+, attempt 1 .* before the job had ended/,
  ],
  [
    "the job ended later than its webhook came, by the service's clock alone",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { endedMs: 9_000 })] }),
    "inconclusive",
    /by the service's clock/,
  ],
  [
    "the clocks of the service's machines are apart by half a second",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { endedMs: 1_500 })] }),
    "kept",
    /had ended/,
  ],
  [
    "no poll was answered",
    () => runWith({ ...NO_CASES, first: () => [caseOf("first", [0], { looks: [] })] }),
    "unobserved",
    /could be polled/,
  ],
]);

const again = (ms: number, change = {}) => ({
  first: () => [...HEALTHY.first(), caseOf("first", [0, ms], change)],
});
const AFAR = { isLocal: false };
const soon = { watchedUntilMs: FIRST_AT + 20_000 };

table("webhook.once", [
  ["nothing came again", () => runWith(), "kept", /were not sent again/],
  ["one came again after 1 s", () => runWith(again(1_000)), "broken", /1 of \d+ .* sent again/],
  ["one came again after 30 s", () => runWith(again(30_000)), "broken", /sent again/],
  ...(
    [
      ["one came again after the first wait, through a network", 5_002, "inconclusive"],
      ["one came again after 1 s, through a network", 1_000, "broken"],
    ] as const
  ).map(([title, ms, verdict]) => {
    return [title, () => runWith(again(ms), AFAR), verdict, /sent again/] as const;
  }),
  [
    "two came again after the first wait, through a network",
    () => runWith({ ...again(5_002), reset: () => [caseOf("first", [0, 5_002])] }, AFAR),
    "broken",
    /2 of \d+ .* sent again/,
  ],
  [
    "the sender hung up before the answer was there",
    () => {
      const delivery = () => ({ hungUpAtMs: FIRST_AT + 10_000, answeredAtMs: null });
      return runWith(again(15_000, { delivery }));
    },
    "kept",
    /were not sent again/,
  ],
  [
    "it came again after the next wait, while the machine stood still for an answer's time",
    () => runWith({ ...NO_CASES, ...again(15_000, { lagsMs: [3_000] }) }),
    "inconclusive",
    /too busy/,
  ],
  [
    "it came again after the next wait, while the machine was late by less",
    () => runWith({ ...NO_CASES, ...again(15_000, { lagsMs: [2_000] }) }),
    "broken",
    /sent again/,
  ],
  ...(
    [
      ["stood still", [3_000], "inconclusive"],
      ["was late by less", [2_000], "broken"],
    ] as const
  ).map(([title, lagsMs, verdict]) => {
    const others = { "not-found": () => [caseOf("not-found", [0, 5_002], { lagsMs })] };
    const run = () => runWith({ ...NO_CASES, ...again(15_000), ...others });
    const what = `it came again after the next wait, on a machine that ${title} once`;
    return [what, run, verdict, /sent again/] as const;
  }),
  ...(
    [
      ["all at one moment, on a machine that stood still once", [0, 100, 300], 1, "inconclusive"],
      ["all at one moment, on one that never did", [0, 100, 300], 0, "broken"],
      ["at two moments, on one that stood still twice", [0, 60_000], 2, "inconclusive"],
      ["whenever they came, on one that stood still once", [0, 60_000, 90_000], 1, "broken"],
    ] as const
  ).map(([title, ms, stalls, verdict]) => {
    const late = Array.from({ length: stalls }, () =>
      caseOf("not-found", [0, 5_002], { lagsMs: [3_000] }),
    );
    const others = { ladder: HEALTHY.ladder, "not-found": () => late };
    const all = () => ms.map((atMs) => caseOf("first", [atMs, atMs + 15_000]));
    const what = `several came again after the next wait, ${title}`;
    const run = () => runWith({ ...NO_CASES, first: all, ...others });
    return [what, run, verdict, /sent again/] as const;
  }),
  ...(
    [
      ["and the service answered in the midst of that", [4_000, 4_050], "broken"],
      ["and the service answered once it went on", [4_000, 10_200], "inconclusive"],
      ["and the service had answered just before", [1_000, 1_050], "inconclusive"],
    ] as const
  ).map(([title, [sentMs, receivedMs], verdict]) => {
    const poll = { sentAtMs: FIRST_AT + sentMs, receivedAtMs: FIRST_AT + receivedMs };
    const asked = withJson(200, {}, poll);
    const late = caseOf("not-found", [0, 5_002], { lagsMs: [3_000], looks: [asked] });
    const run = () => runWith({ ...NO_CASES, ...again(15_000), "not-found": () => [late] });
    const what = `it came again after the next wait, on a machine that stood still once, ${title}`;
    return [what, run, verdict, /sent again/] as const;
  }),
  ...(
    [
      ["as late as it came too soon", 900, "inconclusive"],
      ["on time", 0, "broken"],
    ] as const
  ).map(([title, lagMs, verdict]) => {
    const others = { "not-found": () => [caseOf("not-found", [0, 5_002], { lagsMs: [3_000] })] };
    const run = () => runWith({ ...NO_CASES, ...again(2_000, { lagsMs: [lagMs] }), ...others });
    const what = `it came again after 2 s, ${title}, on a machine that stood still once`;
    return [what, run, verdict, /sent again/] as const;
  }),
  [
    "it was not watched for 35 s",
    () => runWith({ ...NO_CASES, first: () => [caseOf("first", [0], soon)] }),
    "inconclusive",
    /not watched for long enough/,
  ],
  ["nothing was answered 200", () => runWith(NO_CASES), "unobserved", /answered 200/],
]);

const uncalled = () => ({ job_uuid: "job-unasked", status: "completed" });
const unended = { jobId: "job-unasked", endKnownAtMs: null, watchedUntilMs: T0 + 90_000 };

table("webhook.only-asked", [
  ["nothing is about a job without a webhook", () => runWith(), "kept", /none of 1 jobs/],
  [
    "a delivery is",
    () => runWith({ reset: () => [caseOf("reset", [0, 5_000], { body: uncalled })] }),
    "broken",
    /2 of 2 jobs without a webhook were delivered/,
  ],
  [
    "the job without a webhook was not seen to end",
    () => runWith({}, { unasked: [unended] }),
    "inconclusive",
    /beyond its end/,
  ],
  ["nothing came at all", () => runWith(NO_CASES), "inconclusive", /nothing at all/],
  ["no such job was submitted", () => runWith({}, { unasked: [] }), "unobserved", /no job without/],
]);
