/** Refused submissions leave no trace; other traffic of the account is no trace of theirs. §4.3. */

import { describe, expect, it } from "vitest";
import type { AccountView, Span } from "../../../contract/balance/refused.ts";
import { POOR_PATHS } from "../../../contract/balance/refused.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { RejectedInput } from "../../../contract/judges/rejected-runs-nothing.ts";
import {
  judgeRefusedAndListed,
  judgeRefusedAndTold,
  judgeRejectedRunsNothing,
} from "../../../contract/judges/rejected-runs-nothing.ts";
import { arrived } from "../../receiver/arrived.ts";
import { answer } from "./answers.ts";

const REFUSED = [answer(422, { method: "POST", path: "/v1/workers/echo/jobs" })];

function view(ids: readonly string[], balance = 10, workerId = "echo"): AccountView {
  const listed = ids.map((id) => ({ id, workerId, createdAtMs: null, entry: { id } }));
  return { listed, amounts: { "credits.balance": balance }, exchanges: [] };
}

function span(before: AccountView, after: AccountView, own: readonly string[] = []): Span {
  return { before, after, refused: REFUSED, ownIds: own };
}

const still = (ids: readonly string[], balance = 10) => ({
  ...span(view(ids, balance), view(ids, balance)),
  refused: [],
});

function input(change: Partial<RejectedInput>): RejectedInput {
  return { volleys: [], quiet: [], calibration: null, without: "", ...change };
}

const CALIBRATION = { before: view([], 10), after: view([], 9), cost: 1 };
const OTHER_BALANCE = {
  before: { ...view([]), amounts: { "credits.balance": 10, "credits.left": 100 } },
  after: { ...view([]), amounts: { "credits.balance": 8, "credits.left": 99 } },
  cost: 1,
};

describe("submit.rejected-runs-nothing, by jobs", () => {
  const clean = span(view(["a"]), view(["a"]));
  const first = span(view(["a"]), view(["b", "a"]));
  const second = span(view(["b", "a"]), view(["c", "b", "a"]));
  const double = span(view(["b", "a"]), view(["d", "c", "b", "a"]));
  const quiet = [still(["b", "a"]), still(["c", "b", "a"])];
  const uneven = [first, double, first, double];
  const silences = [...quiet, ...quiet];
  const noisy = [{ ...span(view(["b"]), view(["x", "b"])), refused: [] }, still(["c"])];
  it.each([
    ["no trace", input({ volleys: [clean] }), "kept"],
    ["a new job of the suite's own", input({ volleys: [{ ...first, ownIds: ["b"] }] }), "kept"],
    ["a new job once, not again", input({ volleys: [first, clean], quiet }), "kept"],
    ["one more each time, and quiet between", input({ volleys: [first, second], quiet }), "broken"],
    ["other numbers", input({ volleys: [first, double], quiet }), "inconclusive"],
    [
      "jobs come also in the quiet",
      input({ volleys: [first, second], quiet: noisy }),
      "inconclusive",
    ],
    ["other numbers, often", input({ volleys: uneven, quiet: silences }), "broken"],
    [
      "other numbers, and one quiet less",
      input({ volleys: uneven, quiet: silences.slice(1) }),
      "inconclusive",
    ],
    [
      "other numbers, and none once",
      input({ volleys: [...uneven, clean], quiet: silences }),
      "kept",
    ],
    ["seen once only", input({ volleys: [first] }), "inconclusive"],
    ["no refusal", input({ volleys: [{ ...clean, refused: [] }] }), "unobserved"],
    ["nothing sent", input({}), "unobserved"],
  ])("%s: %#", (_name, given, verdict) => {
    expect(judgeRejectedRunsNothing(given).verdict).toBe(verdict);
  });

  const unread = { listed: null, amounts: { "credits.balance": 10 }, exchanges: [] };
  it.each([
    ["before it", span(unread, view(["c", "b", "a"]))],
    ["after it", span(view(["b", "a"]), unread)],
  ])("a second burst whose list could not be read %s takes no new job back", (_, again) => {
    const finding = judgeRejectedRunsNothing(input({ volleys: [first, again], quiet }));
    expect(finding.verdict).toBe("inconclusive");
  });

  it("a quiet span whose lists could not be read is none", () => {
    const dark = [{ ...span(unread, unread), refused: [] }];
    const finding = judgeRejectedRunsNothing(input({ volleys: [first, second], quiet: dark }));
    expect(finding.verdict).toBe("inconclusive");
  });

  it("a new job of a worker that nothing was sent to is other traffic", () => {
    const other = span(view([]), view(["z"], 10, "render"));
    expect(judgeRejectedRunsNothing(input({ volleys: [other] })).verdict).toBe("kept");
  });

  it("an account of which nothing can be read is inconclusive", () => {
    const blind = { listed: null, amounts: {}, exchanges: [] };
    const finding = judgeRejectedRunsNothing(input({ volleys: [span(blind, blind)] }));
    expect(finding.verdict).toBe("inconclusive");
  });
});

describe("submit.rejected-runs-nothing, by the balance", () => {
  const fall = (from: number, to: number) => span(view([], from), view([], to));
  const quiet = [still([], 8.5), still([], 8)];
  const poorView = (balance: number) => ({
    ...view([]),
    amounts: { [`${POOR_PATHS}credits.balance`]: balance },
  });
  const poor = (from: number, to: number) => span(poorView(from), poorView(to));
  const counting = (requests: number, balance: number) => ({
    ...view([]),
    amounts: { "credits.requests_left": requests, "credits.balance": balance },
  });
  const counted = (from: number, to: number) => span(counting(from, 9), counting(to, 9));
  const countedDown = (calibration: RejectedInput["calibration"]) =>
    input({
      volleys: [counted(980, 960), counted(958, 938)],
      quiet: [counted(960, 958)].map((each) => ({ ...each, refused: [] })),
      calibration,
    });
  const bursts = [fall(9.5, 9), fall(8.5, 8)];
  /** A job of 4.3 moves it, and by so much each of two bursts does, of one refusal each. */
  const figure = (before: number, after: number, eachBy: number, name = "credits.left") => {
    const at = (amount: number) => ({ ...view([]), amounts: { [name]: amount } });
    const { refused } = fall(1, 0);
    const burst = (from: number) => ({ ...span(at(from), at(from - eachBy)), refused });
    return input({
      volleys: [burst(6), burst(5)],
      quiet: [{ ...span(at(6 - eachBy), at(6 - eachBy)), refused: [] }],
      calibration: { before: at(before), after: at(after), cost: 4.3 },
    });
  };
  const noisy = [{ ...fall(9, 8.5), refused: [] }];
  it.each([
    ["the same each time", input({ volleys: bursts, quiet, calibration: CALIBRATION }), "broken"],
    [
      "other amounts each time",
      input({ volleys: [fall(9.5, 9), fall(8.5, 7)], quiet, calibration: CALIBRATION }),
      "inconclusive",
    ],
    [
      "other amounts, often",
      input({
        volleys: [...bursts, fall(8, 7), fall(7, 6.75)],
        quiet: [...quiet, still([], 7), still([], 6.75)],
        calibration: CALIBRATION,
      }),
      "broken",
    ],
    [
      "falls in the quiet as well",
      input({ volleys: bursts, quiet: noisy, calibration: CALIBRATION }),
      "inconclusive",
    ],
    [
      "a figure that is not the balance, as no job moves it",
      input({ volleys: bursts, quiet, calibration: { ...CALIBRATION, after: view([], 10) } }),
      "kept",
    ],
    [
      "a figure that is not the balance, as another is",
      input({ volleys: bursts, quiet, calibration: OTHER_BALANCE }),
      "kept",
    ],
    [
      "a balance that a job moved by other than its cost, as one in another unit does",
      input({ volleys: bursts, quiet, calibration: { ...CALIBRATION, cost: 0.4 } }),
      "broken",
    ],
    ["a figure of no name that a job moved by a whole number", figure(10, 9, 1), "inconclusive"],
    ["a figure of no name that a job moved by a fraction", figure(10, 8.5, 1), "broken"],
    ["a figure of no name that a job moved by its rounded cost", figure(10, 6, 1), "broken"],
    ["a figure that falls as often as something is sent", figure(10, 9.5, 0.5), "inconclusive"],
    ["submissions that are left", figure(10, 9, 1, "credits.submissions_left"), "inconclusive"],
    ["what is left of a quota", figure(10, 9, 1, "me.credits.quota_left"), "inconclusive"],
    ["a mean that refusals lower", figure(0.43, 0.4, 0.07, "credits.average"), "inconclusive"],
    ["tokens, of which a refusal takes a job's", figure(90, 47, 43, "me.credits.left"), "broken"],
    [
      "whole credits, of which a job takes less than one",
      input({
        volleys: bursts,
        quiet,
        calibration: { ...CALIBRATION, after: view([], 10), cost: 0.4 },
      }),
      "inconclusive",
    ],
    ["nobody knows which figure is the balance", input({ volleys: bursts, quiet }), "inconclusive"],
    [
      "that of the account without credits, which is named as the caller's",
      input({
        volleys: [poor(0, -1), poor(-1, -2)],
        quiet: [poor(-1, -1), poor(-2, -2)],
        calibration: CALIBRATION,
      }),
      "broken",
    ],
    [
      "the second time it can't be read",
      input({
        volleys: [fall(9.5, 9), span(view([], 9), { ...view([]), amounts: {} })],
        ...{ quiet, calibration: CALIBRATION },
      }),
      "inconclusive",
    ],
    [
      "requests that are counted down in the quiet as well, as another figure may be the balance",
      countedDown({ before: counting(1_000, 10), after: counting(990, 9), cost: 0.01 }),
      "kept",
    ],
    [
      "requests that are counted down, beside a balance that is shown late",
      countedDown({ before: counting(1_000, 10), after: counting(990, 10), cost: 0.03 }),
      "kept",
    ],
    [
      "whole credits that others use, beside an amount that stays",
      countedDown({ before: counting(1_000, 10), after: counting(990, 10), cost: 10 }),
      "inconclusive",
    ],
    [
      "requests that are counted down, beside an amount that stays, and no job's cost was seen",
      countedDown(null),
      "kept",
    ],
    [
      "all that is shown falls in the quiet as well, and no job's cost was seen",
      input({ volleys: [fall(9, 8), fall(7, 6)], quiet: [{ ...fall(8, 7), refused: [] }] }),
      "inconclusive",
    ],
    ["it grows", input({ volleys: [fall(9, 10)] }), "kept"],
  ])("%s: %#", (_name, given, verdict) => {
    expect(judgeRejectedRunsNothing(given).verdict).toBe(verdict);
  });
});

describe("submit.rejected-runs-nothing, by what is owed", () => {
  const owing = (amount: number, name = "credits.balance") => ({
    ...view([]),
    amounts: { [name]: amount },
  });
  const owed = (name: string, eachBy: number) => {
    const at = (amount: number) => owing(amount, name);
    return judgeRejectedRunsNothing(
      input({
        volleys: [span(at(1), at(1 + eachBy)), span(at(1 + eachBy), at(1 + 2 * eachBy))],
        quiet: [{ ...span(at(1 + eachBy), at(1 + eachBy)), refused: [] }],
        calibration: { before: at(0), after: at(1), cost: 1 },
      }),
    );
  };

  it("is broken where it rises with each burst, as it did by a job's cost", () => {
    const { verdict, summary } = owed("credits.balance", 1);
    expect([verdict, summary]).toEqual([
      "broken",
      expect.stringContaining("each burst of refused submissions cost 1 (credits.balance)"),
    ]);
  });

  it("is kept where it stays, or where what rises counts requests", () => {
    const { summary } = owed("credits.balance", 0);
    expect(summary).toContain("started no job and showed no charge");
    expect(owed("credits.requests_today", 1).verdict).toBe("kept");
  });
});

describe("what was not tried", () => {
  const LATER = "charges that show later";
  const of = (...statuses: readonly number[]) => {
    const clean = span(view(["a"]), view(["a"]));
    return { ...clean, refused: statuses.map((status) => answer(status, { method: "POST" })) };
  };
  it("is each reason for which nothing was refused: it may cost, though the others don't", () => {
    const { verdict, strength } = judgeRejectedRunsNothing(input({ volleys: [of(400, 404, 422)] }));
    expect(verdict).toBe("kept");
    expect(strength?.notTried).toEqual([
      "submissions answered 402",
      "submissions answered 429",
      LATER,
    ]);
  });

  it("is what is booked later, where all were", () => {
    const volleys = [of(400, 402), of(404, 422, 429)];
    expect(judgeRejectedRunsNothing(input({ volleys })).strength?.notTried).toEqual([LATER]);
  });

  it("is any charge where no balance can be read, and none is told", () => {
    const bare = { ...view(["a"]), amounts: {} };
    const volleys = [{ ...of(400, 402, 404, 422, 429), before: bare, after: bare }];
    const { summary, strength } = judgeRejectedRunsNothing(input({ volleys }));
    expect(summary).toBe("5 refused submissions started no job");
    expect(strength?.notTried).toEqual(["charges, as no balance can be read"]);
  });
});

describe("a mark of a refused submission in a later list", () => {
  const mark = (letter: string) => `plumbline-${letter.repeat(16)}`;
  const submission = (status: number, letter: string) =>
    answer(status, { requestBody: JSON.stringify({ text: mark(letter), tone: 4 }) });
  const listing = (letter: string) =>
    answer(200, { route: "jobs", body: JSON.stringify([{ id: "j", result: mark(letter) }]) });
  it.each([
    ["breaks the promise", [submission(422, "a")], [listing("b"), listing("a")], ["broken"]],
    ["is none of another submission", [submission(422, "a")], [listing("b")], []],
    [
      "may be of one that was accepted",
      [submission(422, "a"), submission(202, "a")],
      [listing("a")],
      [],
    ],
    [
      "may be of one without an answer",
      [submission(422, "a"), submission(0, "a")],
      [listing("a")],
      [],
    ],
  ] as const)("%s", (_name, submissions, lists, verdicts) => {
    const found = judgeRefusedAndListed(submissions, lists);
    expect(found.map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});

describe("a webhook of a submission with an address of its own", () => {
  const told = (body: string, signature: Delivery["signature"] = "valid") =>
    arrived({ token: "poor", attempt: 1, arrivedAtMs: 0, body, signature });
  const NAMED = JSON.stringify({ event: "job.failed", job_uuid: "j" });
  it.each([
    ["breaks the promise where it was refused", [402], [told(NAMED)], ["broken"]],
    ["may be of one that was accepted", [402, 202], [told(NAMED)], []],
    ["may be of one without an answer", [0, 402], [told(NAMED)], []],
    ["tells nothing without a job", [402], [told('{"event":"ping"}')], []],
    ["may be anybody's without a signature", [402], [told(NAMED, "invalid")], []],
    ["breaks nothing where it did not come", [402], [], []],
  ] as const)("%s", (_name, statuses, deliveries, verdicts) => {
    const attempts = statuses.map((status) => answer(status, { method: "POST" }));
    const found = judgeRefusedAndTold([{ attempts, deliveries }], "hmac-sha256");
    expect(found.map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});
