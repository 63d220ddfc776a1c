/** What a cancel did to a queued job, with what later steps of the run saw of that job. */

import { describe, expect, it } from "vitest";
import {
  judgeCancels,
  judgeWrongCancels,
  wrongCancelsNotTried,
} from "../../../contract/judging/contract-cancel.ts";
import { DEFAULT_TOLERANCES } from "../../../contract/run/run-plan.ts";
import type { State } from "../../../contract/states.ts";
import { promisedTimes } from "../../../contract/time/promised-times.ts";
import { exchange, run, T0 } from "../judges/job/fixtures.ts";

const TIMES = promisedTimes({ timeScale: 1, tolerances: DEFAULT_TOLERANCES });

/** The trial saw the first states after its request, later steps the others. */
function verdict(inTrial: readonly State[], later: readonly State[], method = "DELETE"): string {
  const states: readonly State[] = ["queued", ...inTrial, ...later];
  const plans = states.map((state, index) => ({ state, at: 100 + 1_000 * index }));
  const [job] = run({ variant: "B", ends: ["cancelled"], polls: { cancelled: plans } });
  if (job === undefined) throw new Error("no job");
  const [before, ...polls] = job.polls;
  if (before === undefined) throw new Error("no poll");
  const sent = { sentAtMs: T0 + 200, receivedAtMs: T0 + 210 };
  const cancel = exchange({ status: 200, method, ...sent });
  const after = polls.slice(0, inTrial.length);
  const trial = { jobId: job.issuedId ?? "", before, cancel, submission: job.submission, after };
  const none = { running: [], terminal: [], methodUnknown: false, exhausted: false };
  const found = judgeCancels({ queued: [trial], ...none }, TIMES, [job]);
  return found.find(({ promise }) => promise === "cancel.queued")?.verdict ?? "";
}

const NOTHING = { queued: [], running: [], terminal: [], methodUnknown: false, exhausted: false };

/** "401 403/401": a cancel that got 401; and one 403, while the account with its key got 401. */
function wrongCancels(text: string) {
  return text.split(" ").map((each) => {
    const [status = 0, account = null] = each.split("/").map(Number);
    const meanwhile = account === null ? {} : { meanwhile: exchange({ status: account }) };
    return { what: "a cancel", attempts: [exchange({ status, method: "DELETE" })], ...meanwhile };
  });
}

describe("cancels with wrong keys", () => {
  it.each([
    ["are refused", "401 401", "401", []],
    ["are 403, and nothing else is", "403/401 403/401", "401", ["auth.invalid-key"]],
    ["are 403 with a revoked key alone", "401 401", "403/401", ["auth.revoked-key"]],
    ["are barred at each endpoint", "403/403 403/403", "403/403", []],
    ["are barred by one instance of two", "403/401 401", "403/401", []],
    ["are barred by more and more instances", "403/401 403/403", "403/401", []],
  ] as const)("%s", (_, unknown, revoked, broken) => {
    const keys = { unknownKeys: wrongCancels(unknown), revokedKey: wrongCancels(revoked) };
    const found = judgeWrongCancels({ ...NOTHING, ...keys });
    expect(found.map(({ promise }) => promise)).toEqual(broken);
  });
});

describe("a cancel of a queued job with an unknown key", () => {
  const seen = (text: string) => ({ ...NOTHING, ofWaiting: wrongCancels(text) });

  it("is tried where one was answered", () => {
    expect(wrongCancelsNotTried([seen("0"), seen("401")])).toEqual([]);
    expect(wrongCancelsNotTried([seen("0"), NOTHING])).toEqual(["a cancel of a queued job"]);
    expect(wrongCancelsNotTried([])).toEqual(["a cancel of a queued job"]);
  });

  it("that is answered 204 breaks auth.invalid-key", () => {
    const found = judgeWrongCancels(seen("204"));
    expect(found.map(({ promise }) => promise)).toEqual(["auth.invalid-key"]);
  });
});

describe("a queued job that was cancelled", () => {
  it.each<[State[]]>([[["running"]], [["cancelled", "completed"]]])(
    "and that a later step sees %j has run",
    (later) => {
      expect(verdict(["cancelled", "cancelled"], later)).toBe("broken");
    },
  );

  it("stays so in later steps, too", () => {
    expect(verdict(["cancelled"], ["cancelled", "cancelled"])).toBe("kept");
  });
});

it("a request that cancels nothing is not credited with what comes later", () => {
  expect(verdict(["queued"], ["cancelled"])).toBe("inconclusive");
});

it.each([
  [{}, /all ran at once$/, /no job was seen running$/],
  [{ exhausted: true }, /all ran at once; the budget allows no more/, /running; the budget/],
  [{ isOutOfTime: true }, /time was over before a queued one/, /over before a running one was/],
])("why nothing was seen of cancelled jobs: %j", (difference, queued, running) => {
  const findings = judgeCancels({ ...NOTHING, ...difference }, TIMES, []);
  expect(findings.slice(0, 2).map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["unobserved", expect.stringMatching(queued)],
    ["unobserved", expect.stringMatching(running)],
  ]);
});
