/**
 * Webhooks that are late while nothing else of the service goes on: what it had begun shows that,
 * connections without a request and polls without an answer.
 */

import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import type { WebhookRun } from "../../../../contract/judges/webhook/case.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { CaseChange } from "./healthy-run.ts";
import { caseOf, ERROR, FIRST_AT, HEALTHY, NO_CASES, OK, pollAt, runWith } from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

/** Three series whose first retry comes 4 s late, on a connection open for so long. */
const lateBy = (openedForMs: number, change: CaseChange = {}) => ({
  ladder: () =>
    [0, 20, 40].map((ms) =>
      caseOf("ladder", [ms, 9_000 + ms], {
        delivery: ({ attempt }: Delivery) => (attempt === 2 ? { openedForMs } : {}),
        ...change,
      }),
    ),
});
const LATE = { ...NO_CASES, ...lateBy(0) };

/** A job that was delivered at once, and whose polls were sent and answered then. */
const polled = (...times: readonly (readonly [sentMs: number, receivedMs: number])[]) => ({
  first: () =>
    [0].map((ms) => {
      const each = caseOf("first", [ms]);
      const fields = { id: each.jobId ?? "", state: "completed", endedMs: 1_000 };
      const looks = times.map(([sentMs, receivedMs]) =>
        pollAt(fields, { sentAtMs: FIRST_AT + sentMs, receivedAtMs: FIRST_AT + receivedMs }),
      );
      return { ...each, looks: [...each.looks, ...looks] };
    }),
});

/** The last of its polls got no answer. */
function unanswered(run: WebhookRun): WebhookRun {
  const cases = run.cases.map((each) => {
    const last = each.looks.at(-1);
    if (each.kind !== "first" || last === undefined) return each;
    const lost = { ...last, status: 0, body: "", error: "timeout" as const };
    return { ...each, looks: [...each.looks.slice(0, -1), lost] };
  });
  return { ...run, cases };
}

/** As of a store that is slow to read from: each takes 3 s at least. */
function withSlowPolls(run: WebhookRun): WebhookRun {
  const slow = (poll: Exchange) => {
    return { ...poll, receivedAtMs: Math.max(poll.receivedAtMs, poll.sentAtMs + 3_000) };
  };
  return { ...run, cases: run.cases.map((each) => ({ ...each, looks: each.looks.map(slow) })) };
}

/** Delivered so long after its job's end, and again 1 s too soon. */
const shortAfter = (ms: number) => caseOf("ladder", [ms, ms + 4_000, ms + 34_000]);

table("webhook.wait-1", [
  [
    "all are late, and had connected in time",
    () => runWith({ ...NO_CASES, ...lateBy(3_900) }),
    "inconclusive",
    /3 of 3 waits were 8999 .*for 38\d\d ms the service stood still: nothing of it went on/,
  ],
  [
    "all are late, and had connected in time, some of many",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...lateBy(3_900).ladder()] }),
    "kept",
    /^7 waits/,
  ],
  ["all are late, and connected late", () => runWith(LATE), "broken", /3 of 3 waits were 8999/],
  [
    "all are late, on connections that were there before they were due",
    () => runWith({ ...NO_CASES, ...lateBy(8_000) }),
    "broken",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are late, on a proxy's connections",
    () => runWith({ ...NO_CASES, ...lateBy(3_900) }, { isProxied: true }),
    "broken",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are late, and other deliveries came meanwhile",
    () => {
      const others = [5_300, 5_700, 6_100, 6_500, 6_900, 7_300, 7_700, 8_100, 8_500, 8_900];
      const first = () => others.map((ms) => caseOf("first", [ms]));
      return runWith({ ...NO_CASES, ...lateBy(3_900), first });
    },
    "broken",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are late, and a poll was not answered until then",
    () => runWith({ ...LATE, ...polled([5_500, 8_990]) }),
    "inconclusive",
    /3 of 3 waits were 8999 .*for 34\d\d ms the service stood still/,
  ],
  [
    "all are late, and a poll was never answered",
    () => unanswered(runWith({ ...LATE, ...polled([5_500, 20_500]) })),
    "inconclusive",
    /3 of 3 waits were 8999 .*for 3\d\d\d ms the service stood still/,
  ],
  [
    "all are late, and polls were answered at once",
    () => runWith({ ...LATE, ...polled([5_500, 5_510], [6_500, 6_510], [7_500, 7_510]) }),
    "broken",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are late, and one of two polls was not answered until then",
    () => runWith({ ...LATE, ...polled([5_500, 8_990], [7_400, 7_410]) }),
    "inconclusive",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are late, while the service did a little of everything, slowly",
    () => {
      const times = Array.from({ length: 12 }, (_, at) => 5_100 + 330 * at);
      return runWith({ ...LATE, ...polled(...times.map((ms) => [ms, ms + 3_000] as const)) });
    },
    "inconclusive",
    /3 of 3 waits were 8999 .*asked meanwhile took it 2990 ms longer than else/,
  ],
  [
    "all are late by more than three polls that were answered together",
    () => {
      const ladder = () => [0, 20, 40].map((ms) => caseOf("ladder", [ms, 13_000 + ms]));
      const together = polled([5_100, 7_900], [5_150, 7_910], [5_180, 7_920]);
      return runWith({ ...NO_CASES, ladder, ...together });
    },
    "broken",
    /3 of 3 waits were 12999/,
  ],
  [
    "all are late, and each poll is slow at any time",
    () => {
      const times = Array.from({ length: 12 }, (_, at) => 5_100 + 330 * at);
      return withSlowPolls(
        runWith({ ...LATE, ...polled(...times.map((ms) => [ms, ms + 3_000] as const)) }),
      );
    },
    "broken",
    /3 of 3 waits were 8999/,
  ],
  [
    "all are short, after attempts that come up to 4 s after their jobs' ends",
    () => runWith({ ...NO_CASES, ladder: () => [0, 1, 2, 3, 4].map((s) => shortAfter(1_000 * s)) }),
    "broken",
    /^2 of 5 waits were 3999/,
  ],
  ...(
    [
      ["as much later after its job's end than most", 3_000, "kept", /^7 waits/],
      ["as soon after its job's end as most", 0, "broken", /^1 of 9 waits were 1999/],
    ] as const
  ).map(([title, ms, verdict, words]) => {
    const early = () => caseOf("ladder", [ms, ms + 2_000, ms + 32_000]);
    const run = () => runWith({ ladder: () => [...HEALTHY.ladder(), early()] });
    return [`one is short after an attempt that came ${title}`, run, verdict, words] as const;
  }),
  [
    "all are late by more than a poll was",
    () => runWith({ ...LATE, ...polled([5_500, 7_000]) }),
    "broken",
    /3 of 3 waits were 8999/,
  ],
]);

table(
  "webhook.wait-2",
  (
    [
      ["4 s short after attempts that came late as a poll did", 9_000, [5_100, 8_990], 1],
      ["4 s short after attempts that came late by themselves", 9_000, [5_100, 5_110], 0],
      ["1 s short, and a poll hung before the attempts were due", 5_002, [3_900, 4_990], 0],
    ] as const
  ).map(([title, secondMs, times, isStill]) => {
    const ladder = () => {
      const thirdMs = secondMs === 9_000 ? 35_000 : 34_002;
      const starts = [0, 20, 40, 60, 80, 100];
      return starts.map((ms) => caseOf("ladder", [ms, secondMs + ms, thirdMs + ms]));
    };
    const run = () => runWith({ ...NO_CASES, ladder, ...polled(times) });
    return [`all are ${title}`, run, isStill ? "inconclusive" : "broken", /6 of 6/];
  }),
);

table(
  "webhook.answer-time",
  (
    [
      ["while a poll hung", [9_500, 10_700], {}, "inconclusive"],
      ["while a poll was answered", [9_500, 9_510], {}, "broken"],
      ["after a poll hung", [7_000, 9_500], {}, "broken"],
      ["as it hung up 4 s too soon", [9_500, 10_700], { hungUpAtMs: FIRST_AT + 6_000 }, "broken"],
    ] as const
  ).map(([how, times, hungUp, verdict]) => {
    const answered = "hungUpAtMs" in hungUp ? { ...hungUp, answeredAtMs: null } : {};
    const delivery = ({ attempt }: Delivery) => (attempt === 1 ? answered : {});
    const again = () => [0, 20].map((ms) => caseOf("in-time", [ms, 15_000 + ms], { delivery }));
    const run = () => runWith({ "in-time": again, ...polled(times) });
    return [`a response after 9 s did not count ${how}`, run, verdict, /2 of/];
  }),
);

table(
  "webhook.answer-time",
  (
    [
      ["counted while a poll hung", [9_500, 10_700], null, "inconclusive"],
      ["was given up, and not retried; a poll hung long after", [60_000, 63_000], 10_000, "broken"],
      ["was given up while a poll hung, and not retried", [9_500, 10_700], 10_000, "broken"],
    ] as const
  ).map(([how, times, hungUpMs, verdict]) => {
    const delivery = () =>
      hungUpMs === null
        ? { answeredAtMs: FIRST_AT + 11_000, hungUpAtMs: null }
        : { answeredAtMs: null, hungUpAtMs: FIRST_AT + hungUpMs };
    const unmoved = () => [0, 20].map((ms) => caseOf("too-late", [ms], { delivery }));
    const run = () => runWith({ "too-late": unmoved, ...polled(times) });
    return [`a response after 11 s ${how}`, run, verdict, /2 of/];
  }),
);

table(
  "webhook.answer-time",
  (
    [
      ["3 s late, where a poll hung long before", 8_000, [1_000, 2_000], "inconclusive"],
      ["3 s late, where none hung", 8_000, [1_000, 1_010], "broken"],
      ["on time, where a poll hung long before", 5_002, [1_000, 2_000], "broken"],
    ] as const
  ).map(([how, secondMs, times, verdict]) => {
    const delivery = ({ attempt, arrivedAtMs }: Delivery) =>
      attempt === 2 ? { answeredAtMs: null, hungUpAtMs: arrivedAtMs + 7_100 } : {};
    const script = [ERROR, { ...OK, delayMs: 9_000 }];
    const again = () => caseOf("in-time", [0, secondMs, secondMs + 37_100], { script, delivery });
    const run = () => runWith({ "in-time": () => [again()], ...polled(times) });
    return [`a sender hung up 3 s too soon on a retry ${how}`, run, verdict, /1 of/];
  }),
);

table("webhook.retried", [
  [
    "no retry had come when the service answered no more",
    () => {
      const watched = { watchedUntilMs: FIRST_AT + 20_000 };
      const ladder = () => [0, 20].map((ms) => caseOf("ladder", [ms], watched));
      return unanswered(runWith({ ...NO_CASES, ladder, ...polled([5_500, 20_500]) }));
    },
    "inconclusive",
    /the run ended before a retry/,
  ],
  [
    "no retry had come, and the service answered",
    () => {
      const watched = { watchedUntilMs: FIRST_AT + 20_000 };
      const ladder = () => [0, 20].map((ms) => caseOf("ladder", [ms], watched));
      return runWith({ ...NO_CASES, ladder, ...polled([5_500, 5_510]) });
    },
    "broken",
    /2 of 2 failed deliveries were not retried/,
  ],
]);
