/** Retries, their waits and their end, judged case by case. */

import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../../contract/delivery.ts";
import type { WebhookRun } from "../../../../contract/judges/webhook/case.ts";
import { promisedTimes } from "../../../../contract/promised-times.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run-plan.ts";
import type { Verdict } from "../../../../contract/verdict.ts";
import type { CaseTable } from "./healthy-run.ts";
import {
  afar,
  caseOf,
  doubts,
  ERROR,
  FIRST_AT,
  HEALTHY,
  NO_CASES,
  OK,
  repeating,
  runWith,
  three,
} from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

const unretried: CaseTable = {
  ...three("ladder", [0]),
  ...three("not-found", [0]),
  ...three("reset", [0]),
  ...three("silent", [0]),
  ...three("refused", []),
  ...three("recovery", [0]),
};
const dropped = { first: () => [...HEALTHY.first(), caseOf("first", [])] };
const brief = { watchedUntilMs: FIRST_AT + 8_000 };

table("webhook.retried", [
  [
    "each kind of failure was",
    () => runWith(),
    "kept",
    /a refused .* a reset .* status 404, status 500/,
  ],
  [
    "none was",
    () => runWith(unretried),
    "broken",
    /^18 of 18 failed deliveries were not retried: no attempt came after status 500/,
  ],
  [
    "a 404 was not",
    () => runWith(three("not-found", [0])),
    "broken",
    /^3 of 20 failed deliveries .* after status 404 \(job-\d+, attempt 1 at 20/,
  ],
  [
    "a silence was not",
    () => runWith(three("silent", [0])),
    "broken",
    /^3 of 20 failed deliveries .* after no response/,
  ],
  ["no refused one came, all others did", () => runWith(three("refused", [])), "broken", /refused/],
  [
    "no refused one came, where that port may be out of reach",
    () => runWith(three("refused", []), { receiverReach: "seen" }),
    "inconclusive",
    /not reach that port/,
  ],
  [
    "no refused one came, and others were not delivered either",
    () => runWith({ ...three("refused", []), ...dropped }),
    "inconclusive",
    /may not have been sent either/,
  ],
  [
    "one refused one did not come, the others did",
    () => runWith({ refused: () => [...HEALTHY.refused(), caseOf("refused", [])] }),
    "inconclusive",
    /may not have been sent either/,
  ],
  [
    "the refused ones came as soon as all others: nobody was refused",
    () => runWith(three("refused", [5])),
    "kept",
    /after a reset connection, no response, status 404, status 500$/,
  ],
  [
    "the run ended before a retry was due",
    () => runWith({ ...NO_CASES, ...three("ladder", [0], brief) }),
    "inconclusive",
    /ended before a retry of .* was due/,
  ],
  ["nothing failed", () => runWith(NO_CASES), "unobserved", /could be made to fail/],
]);

const schedule =
  (...arrivedMs: readonly number[]) =>
  () =>
    runWith({ ...three("ladder", arrivedMs), recovery: () => [] });
const late = (lagsMs: readonly number[], ...arrivedMs: readonly number[]) => ({
  ladder: () => [0, 1, 2].map(() => caseOf("ladder", [0, ...arrivedMs], { lagsMs })),
});
/** Twenty times as fast. */
const FAST = {
  times: promisedTimes({ timeScale: 0.05, tolerances: DEFAULT_TOLERANCES }),
};

/** Schedules whose first retry was due while answers were held back, and came so much later. */
const behindHeld = (count: number, firstMs = 14_000) => {
  const times = [0, firstMs, firstMs + 30_000, firstMs + 330_000];
  return Array.from({ length: count }, () => caseOf("ladder", times));
};
/** Two answers that are held from 5 s to 14 s, and so many at once a minute later. */
const held = (later: number): CaseTable => ({
  silent: () => [],
  "too-late": () => [],
  "in-time": () => [
    ...[0, 1].map(() => caseOf("in-time", [5_000])),
    ...Array.from({ length: later }, () => caseOf("in-time", [65_000])),
  ],
});

/** The first attempts came on new connections or not, the others on one that had served before. */
const onKept = (before: number, offMs: number) =>
  three("ladder", [0, 5_000 + offMs, 35_000 + offMs, 335_000 + offMs], {
    delivery: ({ attempt }: Delivery) => ({ requestsBefore: attempt === 1 ? before : 1 }),
  });

/** One request took a second longer than all others, as one does that is lost and sent again. */
function losing(run: WebhookRun): WebhookRun {
  const [first, ...others] = run.cases;
  if (first === undefined) throw new Error("no case");
  const { submission } = first;
  const again = { ...submission, receivedAtMs: submission.receivedAtMs + 1_000 };
  return { ...run, cases: [{ ...first, submission: again }, ...others] };
}

/** The first retries of so many ladders come 0.75 s early, those of two others on time. */
const early = (count: number) => {
  const ladder = () =>
    Array.from({ length: count }, () => caseOf("ladder", [0, 4_250, 35_000, 335_000]));
  return runWith({ ladder: () => [...ladder(), ...HEALTHY.ladder()] });
};

table("webhook.wait-1", [
  [
    "one of nine is too short, and one request took that much longer",
    () => losing(early(1)),
    "kept",
    /^7 waits/,
  ],
  [
    "one of nine is too short, and no request took longer",
    () => early(1),
    "broken",
    /^1 of 9 waits/,
  ],
  [
    "five of 13 are too short, and one request took that much longer",
    () => losing(early(5)),
    "broken",
    /^5 of 13 waits/,
  ],
  ["it is 5 s", () => runWith(), "kept", /^7 waits were 5001 to 5002 ms, promised 5 s/],
  [
    "it is 0.75 s too short",
    schedule(0, 4_250, 35_000, 335_000),
    "broken",
    /3 of 6 waits were 4249 to 4250 ms, promised 5 s/,
  ],
  [
    "it is 3 s too long",
    schedule(0, 8_000, 38_000, 338_000),
    "broken",
    /3 of 6 waits were 7999 to 8000 ms, promised 5 s/,
  ],
  [
    "it is 0.2 s too short",
    schedule(0, 4_800, 35_000, 335_000),
    "kept",
    /^5 waits were 4799 to 5002 ms/,
  ],
  [
    "it is 1 s too long",
    schedule(0, 6_002, 36_000, 336_000),
    "kept",
    /^5 waits were 5001 to 6002 ms/,
  ],
  [
    "one is too long while the machine stood still for about as long",
    () => {
      const one = caseOf("ladder", [0, 8_000, 38_000, 338_000], { lagsMs: [700, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "kept",
    /^7 waits/,
  ],
  [
    "one is too long while the machine was late by little",
    () => {
      const one = caseOf("ladder", [0, 8_000, 38_000, 338_000], { lagsMs: [150, 0, 0] });
      return runWith({ ladder: () => [one, ...HEALTHY.ladder()] });
    },
    "broken",
    /^1 of 9 waits were 7999 to 8000 ms, promised 5 s/,
  ],
  [
    "each wait is 2.3 s too long, which connecting and the network may take",
    () => afar(three("ladder", [0, 7_300, 39_600, 341_900])),
    "inconclusive",
    /3 of 3 waits were 7299 .* connecting and the network may take 2299 ms/,
  ],
  [
    "it is 2.3 s too long, and the others are not",
    () => afar(three("ladder", [0, 7_300, 37_300, 337_300])),
    "broken",
    /3 of 3 waits were 7299/,
  ],
  [
    "each wait is 5 s too long, which is more than the way takes",
    () => afar(three("ladder", [0, 10_000, 45_000, 350_000])),
    "broken",
    /3 of 3 waits were 9999/,
  ],
  [
    "each wait is 2.7 s too long, on connections that had served before",
    () => afar(onKept(1, 2_700)),
    "broken",
    /3 of 3 waits were 7699/,
  ],
  [
    "it is 0.8 s too short after an attempt that had to connect",
    () => afar(onKept(0, -800)),
    "inconclusive",
    /3 of 3 waits were 4199 .* connecting for the attempt before may have taken 1800 ms/,
  ],
  [
    "it is 0.8 s too short, and no attempt had to connect",
    () => afar(onKept(1, -800)),
    "broken",
    /3 of 3 waits were 4199/,
  ],
  [
    "some are too long by less than answers were held back, as many as ever at once",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2)], ...held(2) }),
    "kept",
    /^7 waits/,
  ],
  [
    "some are too long, and more answers were held at once at another time",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2)], ...held(3) }),
    "broken",
    /^2 of 9 waits were 13999 to 14000 ms, promised 5 s/,
  ],
  [
    "some are too long by more than answers were held back",
    () => runWith({ ladder: () => [...HEALTHY.ladder(), ...behindHeld(2, 30_000)], ...held(2) }),
    "broken",
    /^2 of 9 waits were 29999 to 30000 ms, promised 5 s/,
  ],
  [
    "one of several is too long on the way from elsewhere",
    () => {
      const one = () => [...HEALTHY.recovery(), caseOf("recovery", [0, 30_000])];
      return runWith({ recovery: one }, { isLocal: false });
    },
    "inconclusive",
    /1 of 9 waits/,
  ],
  [
    "all are too long by less than the machine was late for all of them",
    () => runWith({ ...NO_CASES, ...late([700], 8_000) }),
    "inconclusive",
    /3 of 3 waits/,
  ],
  [
    "all are too long by no more than the suite is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 7_300) }, { lagMs: 400 }),
    "inconclusive",
    /3 of 3 waits were 7299 to 7300 ms.*this machine may have been as late itself/,
  ],
  [
    "all are too long by more than the suite is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 7_500) }, { lagMs: 400 }),
    "broken",
    /waits were 7499 to 7500 ms/,
  ],
  [
    "all are too short, on a machine that is late at most times",
    () => runWith({ ...NO_CASES, ...late([0], 3_000) }, { lagMs: 2_600 }),
    "inconclusive",
    /too busy to measure times/,
  ],
  [
    "all look too short, while the machine stood still for as long",
    () => runWith({ ...NO_CASES, ...late([1_600], 3_000) }),
    "inconclusive",
    /3 of 3 waits/,
  ],
  [
    "all are too short by more than the machine stood still",
    () => runWith({ ...NO_CASES, ...late([1_400], 3_000) }),
    "broken",
    /waits were 2999 to 3000 ms/,
  ],
  [
    "all are too long on a service that is twenty times as fast",
    () => runWith({ ...NO_CASES, ...late([0], 420) }, FAST),
    "broken",
    /waits were 419 to 420 ms, promised 0.25 s/,
  ],
  [
    "they are as promised on a service that is twenty times as fast",
    () => runWith({ ...NO_CASES, ...late([0], 330) }, FAST),
    "kept",
    /waits were 329 to 330 ms, promised 0.25 s/,
  ],
  ["no retry came", () => runWith(unretried), "inconclusive", /never came/],
  ["nothing failed", () => runWith(NO_CASES), "unobserved", /no attempt 1/],
]);

const ATTEMPTS_MS = [0, 5_000, 35_000, 335_000];

/** A series that goes on by so much later from one attempt on. */
function offBy(attempt: 3 | 4, promisedMs: number, words: string, offMs: number, verdict: Verdict) {
  const times = ATTEMPTS_MS.map((ms, at) => (at + 1 < attempt ? ms : ms + offMs));
  const ms = promisedMs + offMs;
  const told = new RegExp(`waits were ${ms - 1} to ${ms} ms`);
  return [`it is ${words}`, schedule(...times), verdict, told] as const;
}

table("webhook.wait-2", [
  ["it is 30 s", () => runWith(), "kept", /^4 waits were 30001 to 30002 ms, promised 30 s/],
  offBy(3, 30_000, "3 s too short", -3_000, "broken"),
  offBy(3, 30_000, "4.5 s too long", 4_500, "broken"),
  offBy(3, 30_000, "1.5 s too long", 1_500, "kept"),
]);

const short = { watchedUntilMs: FIRST_AT + 95_000 };

table("webhook.wait-3", [
  ["it is 300 s", () => runWith(), "kept", /^3 waits were 300001 to 300002 ms, promised 300 s/],
  offBy(4, 300_000, "3 s too short", -3_000, "broken"),
  offBy(4, 300_000, "45 s too long", 45_000, "broken"),
  offBy(4, 300_000, "15 s too long", 15_000, "kept"),
  [
    "the run is too short for it",
    () => runWith({ ...three("ladder", [0, 5_000, 35_000], short), recovery: () => [] }),
    "unobserved",
    /too short to observe retry wait 3/,
  ],
]);

const unwatched = { watchedUntilMs: FIRST_AT + 400_000 };

table("webhook.gives-up", [
  ["silence follows the fourth attempt", () => runWith(), "kept", /3 jobs: no delivery after/],
  ["a fifth attempt comes", schedule(...ATTEMPTS_MS, 636_000), "broken", /5 attempts, promised 4/],
  ["many more come", schedule(...ATTEMPTS_MS, 365_000, 395_000), "broken", /6 attempts/],
  [
    "the silence was not watched",
    () => runWith(three("ladder", ATTEMPTS_MS, unwatched)),
    "unobserved",
    /310 s of silence/,
  ],
]);

table("webhook.recovers", [
  ["the 200 is the end", () => runWith(), "kept", /7 series ended with a 200 response/],
  [
    "the series goes on",
    () => runWith(three("recovery", [0, 5_000, 25_000])),
    "broken",
    /3 of \d+ series went on/,
  ],
  [
    "one series goes on after the next wait, through a network",
    () => runWith({ recovery: () => [caseOf("recovery", [0, 5_002, 35_010])] }, { isLocal: false }),
    "inconclusive",
    /its response may have been lost/,
  ],
  [
    "the series goes on, while the machine stood still",
    () => {
      const change = { script: [ERROR, OK], lagsMs: [0, 3_000] };
      return runWith({ ...NO_CASES, ...three("recovery", [0, 5_002, 42_000], change) });
    },
    "inconclusive",
    /too busy/,
  ],
  [
    "it was not watched for long enough",
    () => {
      const brief = three("recovery", [0, 5_000], { watchedUntilMs: FIRST_AT + 20_000 });
      return runWith({ ...NO_CASES, ...brief });
    },
    "inconclusive",
    /long enough/,
  ],
  ["no retry was answered 200", () => runWith(NO_CASES), "unobserved", /answered 200/],
]);

describe("one fault", () => {
  it.each([
    ["a delivery that comes twice", repeating, ["webhook.once"]],
    ["nothing is retried", unretried, ["webhook.retried"]],
    ["a job is not delivered", dropped, ["webhook.delivered"]],
  ] as const)("of %s breaks one promise", (_title, cases, broken) => {
    const found = Object.entries(doubts(runWith(cases)));
    expect(found.filter(([, verdict]) => verdict === "broken").map(([id]) => id)).toEqual(broken);
  });
});
