/** Retries, their waits and their end, judged case by case. */

import { describe, expect, it } from "vitest";
import type { Verdict } from "../../../../contract/verdict.ts";
import {
  caseOf,
  doubts,
  ERROR,
  FIRST_AT,
  HEALTHY,
  NO_CASES,
  OK,
  repeating,
  runWith,
  schedule,
  three,
  unretried,
  webhookFinding,
} from "./healthy-run.ts";
import { table } from "./verdict-table.ts";

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
    "no refused one came, whose port was opened too late for two retries",
    () => runWith(three("refused", [], { refusal: { openAtMs: FIRST_AT + 40_000, lagMs: 0 } })),
    "kept",
    /retried/,
  ],
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
  [
    "there were refused ones alone, whose port was opened too late for two retries",
    () => {
      const late = { refusal: { openAtMs: FIRST_AT + 40_000, lagMs: 0 } };
      return runWith({ ...NO_CASES, ...three("refused", [], late) });
    },
    "inconclusive",
    /the port of .* opened when a second retry may have been refused, after a refused/,
  ],
  [
    "there were refused ones alone, of which one attempt came at once",
    () => runWith({ ...NO_CASES, ...three("refused", [5]) }),
    "inconclusive",
    /what came of .* may be a first attempt, after a refused connection/,
  ],
  ["nothing failed", () => runWith(NO_CASES), "unobserved", /could be made to fail/],
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
    "the series goes on after an attempt that was stamped late",
    () => {
      const change = { script: [ERROR, OK], lagsMs: [0, 4_000] };
      return runWith({ ...NO_CASES, ...three("recovery", [0, 5_002, 22_000], change) });
    },
    "inconclusive",
    /too busy/,
  ],
  [
    "the series goes on much too soon, while the machine stood still",
    () => {
      const change = { script: [ERROR, OK], lagsMs: [0, 4_000] };
      return runWith({ ...NO_CASES, ...three("recovery", [0, 5_002, 15_000], change) });
    },
    "broken",
    /went on/,
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

it("retries after refused connections are untried where the watch ends before they are due", () => {
  const ladder = () => Array.from({ length: 20 }, () => HEALTHY.ladder()).flat();
  const run = runWith({ ...three("refused", [], brief), ladder });
  const { verdict, strength } = webhookFinding("webhook.retried", run);
  expect(verdict).toBe("kept");
  expect(strength?.notTried).toContain("refused connections");
});

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

it("tells after which failures there was no retry, and after which there was", () => {
  const { evidence } = webhookFinding("webhook.retried", runWith(three("not-found", [0])));
  expect(evidence).toMatchObject({
    "not retried after": "status 404",
    "retried after": expect.stringMatching(/a reset connection.*status 500/),
  });
  const { evidence: whole } = webhookFinding("webhook.retried", runWith());
  expect(Object.keys(whole)).not.toContain("retried after");
});
