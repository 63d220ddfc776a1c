/**
 * Faults of the rate limits. Without a limit there is no sustained rate and no burst to find; a
 * shared allowance, or one for each connection, falsifies every figure that is taken beside it;
 * and a key that admits 8 % too little can't serve 95 % of the plan: hence the companions.
 */

import type { RateLimit } from "../../contract/plans.ts";
import { PLAN_LIMITS } from "../../contract/plans.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { wholeMs } from "../clock.ts";
import type { Hooks } from "../hooks.ts";
import type { Answer } from "../http.ts";
import { tokenBucket } from "../limiters/buckets.ts";
import { ADMITTED } from "../limiters/limiter.ts";
import { endlessQueue, queue } from "../limiters/queue.ts";
import { all, answering, at, because, onAnswer, without } from "./answers.ts";
import { type Fault, faults, faultsOf, type Row, sometimes } from "./fault.ts";
import {
  connectionNumbers,
  halfByConnection,
  replicasInTurn,
  windowsByReplica,
} from "./rate-connections.ts";
import { anewEachMinute, doublingAfter, fallingBack, limitedBy, resting } from "./rate-moments.ts";
import {
  falselyRefusing,
  limitingRoute,
  penalizing,
  refusingTogether,
  sheddingLoad,
  shuttingOut,
} from "./rate-patterns.ts";
import { answeredAfter, onRefused } from "./submissions.ts";

const FIGURES: readonly PromiseId[] = [
  "rate.sustained",
  "rate.burst",
  "rate.within-plan",
  "rate.retry-after-sufficient",
];

/** Of an allowance that several keys have, or several connections of one. */
const SHARED = { companions: FIGURES } as const;

const OTHER_FIGURES = FIGURES.filter((id) => id !== "rate.within-plan");

const limits = (bend: (limit: RateLimit) => RateLimit) => (): Partial<Hooks> => ({ limit: bend });

const faster = (share: number) =>
  limits(({ sustained, burst }) => ({ sustained: sustained * (1 + share), burst }));

/** The row of keys that admit too much or too little; `near`: by a tolerated percentage. */
function off(percent: number, side: "over" | "under", extras: Row[2] = {}, near = "") {
  const title = `Keys admit ${percent} % ${side === "over" ? "more" : "less"} than the plan`;
  const share = (side === "over" ? percent : -percent) / 100;
  return [`${near}${percent}-percent-${side}`, [title, faster(share), extras]] as const;
}

/** The second may be one in which a burst is tried, or other endpoints. */
const FREE_NOW = { companions: ["rate.burst", "rate.all-endpoints"] } as const;

/** Who stays just within the plan is refused then, too. */
const BELOW_PLAN = { companions: ["rate.within-plan"] } as const;

/** What is refilled beyond the plan while a burst is sent belongs to it. */
const FASTER_BURST = { companions: ["rate.burst"] } as const;

const larger = (more: number) =>
  limits(({ sustained, burst }) => ({ sustained, burst: burst + more }));

/**
 * A wait that is told with some to spare, or as a date, which is rounded up to a whole second
 * twice, makes good what such faults take from it.
 */
const TOLD_EXACTLY = { choices: { retryAfter: "seconds", retryAfterExtra: "0" } } as const;

const limited = because("rate-limited");

/** The headers with another `Retry-After`, or without one. */
function toldIn({ headers }: Answer, text: string | null): Answer["headers"] {
  const others = without(headers, "retry-after") as Answer["headers"];
  return text === null ? others : { ...others, "retry-after": text };
}

/** Sets `Retry-After` to a text, always or once in a while. */
const telling = (text: string | null, oneOf = 1) =>
  sometimes(oneOf, (isTime) =>
    onAnswer(all(limited, isTime), (answer) => ({ ...answer, headers: toldIn(answer, text) })),
  );

/** Sets `Retry-After` of refused submissions alone. */
const tellingSubmitters = (text: string | null) => () =>
  onAnswer(at("submit", "rate-limited"), (answer) => ({
    ...answer,
    headers: toldIn(answer, text),
  }));

/** An HTTP-date so many seconds from now, or in the past. */
const tellingDate =
  (seconds: number): Fault["create"] =>
  ({ clock }) =>
    onAnswer(limited, (answer) => {
      const nowMs = wholeMs(clock);
      const until = new Date(nowMs + seconds * 1_000).toUTCString();
      const headers = { ...toldIn(answer, until), date: new Date(nowMs).toUTCString() };
      return { ...answer, headers };
    });

const waitingLonger = (seconds: number) => (): Partial<Hooks> => ({
  retryAfterSeconds: (told) => told + seconds,
});

const unlimited = (which: (route: RouteName | null) => boolean) => (): Partial<Hooks> => ({
  decision: (decision, _key, { route }) => (which(route) ? ADMITTED : decision),
});

const FIGURE_FAULTS: readonly Fault[] = [
  ...faultsOf("rate.limited", {
    "503": ["Above the limit: 503 in place of 429", answering("rate-limited", 503)],
    dropped: [
      "Above the limit, connections are dropped",
      () => onAnswer(limited, (answer) => ({ ...answer, delivery: "reset" })),
    ],
    "503-to-submissions": [
      "Above the limit, submissions get 503 in place of 429",
      answering(at("submit", "rate-limited"), 503),
    ],
    never: [
      "There is no limit",
      unlimited(() => true),
      { companions: ["rate.sustained", "rate.burst", "rate.all-endpoints"] },
    ],
    "waits-in-line": [
      "Requests above the limit wait for their turn in place of 429, however long",
      limitedBy(endlessQueue, (limit) => limit),
    ],
  }),
  ...faultsOf(
    "rate.sustained",
    Object.fromEntries([
      ...[7.5, 8, 15].map((percent) => off(percent, "over")),
      off(50, "over", FASTER_BURST),
      ...[7.5, 8, 15, 50].map((percent) => off(percent, "under", BELOW_PLAN)),
      off(5, "over", { curve: true }),
      off(5, "under", { curve: true, ...BELOW_PLAN }),
      ...[3, 4, 4.5].flatMap((percent) => [
        off(percent, "over", {}, "near-"),
        off(percent, "under", {}, "near-"),
      ]),
    ]),
  ),
  ...faultsOf("rate.sustained", {
    "anew-each-minute": ["Each minute begins with a whole allowance", anewEachMinute],
    "free-minute": [
      "For one minute in five there is no limit",
      resting(60_000, 300_000),
      {
        curve: true,
        companions: ["rate.limited", "rate.burst", "rate.all-endpoints"],
      },
    ],
    "free-second": ["For one second in 20 there is no limit", resting(1_000, 20_000), FREE_NOW],
    "half-from-a-queue": [
      "Requests wait in a line that moves at half the plan",
      limitedBy(queue, ({ sustained, burst }) => ({ sustained: sustained / 2, burst })),
      BELOW_PLAN,
    ],
    "15-percent-over-from-a-queue": [
      "Requests wait in a line that moves 15 % faster than the plan",
      limitedBy(queue, ({ sustained, burst }) => ({ sustained: sustained * 1.15, burst })),
    ],
  }),
  ...faultsOf("rate.burst", {
    "double-after-30-s": ["A key that was idle for 30 s has two bursts", doublingAfter(30_000)],
    "saved-up": [
      "Idle keys save up three bursts",
      limitedBy(tokenBucket, ({ sustained, burst }) => ({ sustained, burst: burst * 3 })),
      { companions: ["rate.sustained", "rate.limited"] },
    ],
    "submissions-of-the-free-plan": [
      "Submissions of all keys are limited as those of the plan free",
      limitingRoute("submit", () => PLAN_LIMITS.free),
      BELOW_PLAN,
    ],
    "plans-forgotten": [
      "4 minutes after its first request a key is limited as those of the plan free",
      fallingBack(240_000, PLAN_LIMITS.free),
      { ...BELOW_PLAN, seenWith: ["webhook.wait-3"] },
    ],
    "1-short": ["Bursts are a request short", larger(-1)],
    "3-short": ["Bursts are 3 requests short", larger(-3)],
    "2-over": ["Bursts are 2 requests too long", larger(2)],
    "3-over": ["Bursts are 3 requests too long", larger(3)],
    "near-1-over": ["Bursts have one request more", larger(1)],
  }),
  ...faultsOf("rate.within-plan", {
    "false-429": [
      "1 request in 50 is refused, below the plan as well",
      falselyRefusing(50),
      { companions: [...OTHER_FIGURES, "rate.per-key"] },
    ],
    "half-a-connection": [
      "Each of two replicas has half the plan, and a connection stays with one of them",
      halfByConnection,
      { companions: [...OTHER_FIGURES, "rate.per-key", "rate.all-endpoints"] },
    ],
    "near-replicas-in-turn": [
      "Each of two replicas has half the plan, and requests meet them in turn",
      limitedBy(replicasInTurn, (limit) => limit),
    ],
    "under-load": [
      "A busy service refuses 1 submission in 5 below the plan",
      sheddingLoad(5),
      { seenWith: ["load.throughput"], companions: ["rate.burst"] },
    ],
    "job-list-apart": [
      "The job list has a limit of 5 requests a second of its own",
      limitingRoute("jobs", () => ({ sustained: 5, burst: 5 })),
      { seenWith: ["account.readable"], companions: ["rate.burst"] },
    ],
    "near-job-list-apart": [
      "The job list has a limit of its own, as large as the key's",
      limitingRoute("jobs", (ofKey) => ofKey),
      { seenWith: ["account.readable"] },
    ],
  }),
];

const RETRY_AFTER_FAULTS: readonly Fault[] = [
  ...faultsOf("rate.retry-after-present", {
    never: ["No 429 says when to come again", telling(null)],
    "once-in-a-while": ["1 in 10 does not", telling(null, 10)],
    "not-on-submit": ["A refused submission's 429 does not", tellingSubmitters(null)],
  }),
  ...faultsOf("rate.retry-after-valid", {
    word: ["Retry-After is a word", telling("soon")],
    negative: ["Retry-After is below zero", telling("-1")],
    "negative-now-and-then": ["Retry-After is below zero, 1 time in 10", telling("-1", 10)],
    "fraction-to-submissions": [
      "A refused submission's Retry-After has a fraction",
      tellingSubmitters("0.35"),
    ],
    fraction: ["Retry-After has a fraction", telling("0.5")],
    "with-unit": ["Retry-After has a unit", telling("1s")],
    "iso-date": [
      "Retry-After is an ISO 8601 time",
      ({ clock }) =>
        onAnswer(limited, (answer) => {
          const time = new Date(clock.nowMs() + 1_000).toISOString();
          return { ...answer, headers: toldIn(answer, time) };
        }),
    ],
    "near-http-date": [
      "Retry-After is an HTTP-date",
      ({ clock }) =>
        onAnswer(limited, (answer) => {
          const seconds = Number(answer.headers["retry-after"]);
          if (Number.isNaN(seconds)) return answer;
          const nowMs = wholeMs(clock);
          const until = new Date(Math.ceil(nowMs / 1000 + seconds) * 1000).toUTCString();
          const date = new Date(nowMs).toUTCString();
          return { ...answer, headers: { ...answer.headers, "retry-after": until, date } };
        }),
    ],
  }),
  ...faultsOf("rate.retry-after-sufficient", {
    zero: [
      "Retry-After is a second less than the wait that works",
      () => ({ retryAfterSeconds: (seconds) => Math.max(0, seconds - 1) }),
      TOLD_EXACTLY,
    ],
    "short-now-and-then": [
      "1 Retry-After in 10 is a second short",
      sometimes(10, (isTime) => ({
        retryAfterSeconds: (seconds) => (isTime() ? Math.max(0, seconds - 1) : seconds),
      })),
      TOLD_EXACTLY,
    ],
    "zero-to-submissions": ["A refused submission's Retry-After is 0", tellingSubmitters("0")],
    "past-date": ["Retry-After is an HTTP-date that is over", tellingDate(-5)],
    "pro-alone": [
      "Retry-After is 0 on the pro plan",
      () => ({ retryAfterSeconds: (seconds, { plan }) => (plan === "pro" ? 0 : seconds) }),
    ],
    "first-refused": [
      "After a 429 a key is shut out for 0.7 s longer than stated",
      shuttingOut(1),
      TOLD_EXACTLY,
    ],
    "every-other": [
      "After 1 refusal in 2 a key is shut out for 0.7 s longer than stated",
      shuttingOut(2),
      TOLD_EXACTLY,
    ],
    "windows-by-replica": [
      "Two replicas by turns each begin a window with the first request they meet",
      windowsByReplica,
      { ...TOLD_EXACTLY, curve: true },
    ],
    "untold-penalty": [
      "The first 429 does not tell that it shuts the key out for 3 s more; those after it do",
      penalizing,
      TOLD_EXACTLY,
    ],
  }),
  ...faultsOf("rate.retry-after-not-excessive", {
    "12-s-too-long": ["Retry-After is 12 s too long", waitingLonger(12)],
    "a-minute-now-and-then": ["1 Retry-After in 10 is a minute", telling("60", 10)],
    "a-minute-to-submissions": [
      "A refused submission's Retry-After is a minute",
      tellingSubmitters("60"),
    ],
    "hour-by-date": ["Retry-After is an HTTP-date an hour away", tellingDate(3_600)],
    "15-s-too-long": ["Retry-After is 15 s too long", waitingLonger(15)],
    "near-5-s-too-long": ["Retry-After is 5 s too long", waitingLonger(5)],
    "near-10-s-too-long": ["Retry-After is 10 s too long", waitingLonger(10), TOLD_EXACTLY],
  }),
];

export const RATE_FAULTS: readonly Fault[] = [
  ...FIGURE_FAULTS,
  ...RETRY_AFTER_FAULTS,
  ...faults(SHARED, {
    "rate.per-key/shared-by-account": [
      "The keys of an account that have one plan share an allowance",
      () => ({ bucket: (_name, key) => `${key.account} ${key.plan}` }),
    ],
    "rate.per-key/shared-by-plan": [
      "All keys of a plan share an allowance",
      () => ({ bucket: (_name, key) => key.plan }),
    ],
    "rate.per-key/exhausted-together": [
      "While a key is refused, the account's other keys are, too",
      refusingTogether,
    ],
  }),
  ...faultsOf("rate.all-endpoints", {
    "each-its-own": [
      "Each endpoint has an allowance of its own",
      () => ({ bucket: (name, _key, { route }) => `${name} ${String(route)}` }),
    ],
    "jobs-free": ["Single jobs are not limited", unlimited((route) => route === "job")],
    "job-list-free": ["The job list is not limited", unlimited((route) => route === "jobs")],
    "workers-free": [
      "The worker list is not limited",
      unlimited((route) => route === "workers"),
      // Where it needs no key, no key's limit holds for it.
      { choices: { workersPublic: "no" } },
    ],
    "submissions-free": ["Submissions are not limited", unlimited((route) => route === "submit")],
    "each-method": [
      "Reads and writes have an allowance each",
      () => ({ bucket: (name, _key, { method }) => `${name} ${method}` }),
    ],
    "near-slow-submissions": [
      "Submissions are answered after 250 ms",
      () => answeredAfter(() => 250),
    ],
    "each-connection": [
      "Each connection has an allowance of its own",
      () => {
        const number = connectionNumbers();
        return { bucket: (name, _key, { connection }) => `${name} ${number(connection)}` };
      },
      SHARED,
    ],
  }),
  ...faultsOf("rate.rejected-not-run", {
    runs: [
      "A submission that is answered 429 runs",
      () => onRefused(["rate-limited"], (submission) => submission.start()),
    ],
  }),
];
