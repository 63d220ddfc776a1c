/**
 * Webhooks of a load: what they have against them beside their jobs, and those that come again, too
 * soon for a retry, or as one that may be lawful.
 */

import { describe, expect, it } from "vitest";
import { decodeAccepted } from "../../../../contract/decode/accepted.ts";
import { decodeJob } from "../../../../contract/decode/job.ts";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import { pollOf } from "../../../../contract/judges/job/reading.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import type { PlanKey, RunPlan } from "../../../../contract/run/run-plan.ts";
import { newLedger } from "../../../../scenarios/load/followed/ledger.ts";
import type { Serving } from "../../../../scenarios/load/serving.ts";
import { noteServing, wasServing } from "../../../../scenarios/load/serving.ts";
import { newTally } from "../../../../scenarios/load/tally.ts";
import { holdAgainst, takeDelivery } from "../../../../scenarios/load/webhooks/deliveries.ts";
import { noRetries } from "../../../../scenarios/load/webhooks/failed-deliveries.ts";
import { answer, withJson } from "../../../contract/judges/answers.ts";
import { key } from "../../../gate/base-target.ts";
import { arrived } from "../../../receiver/arrived.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { RECEIVER_ACCESS } from "../../receiver-access.ts";
import { sent } from "../sent.ts";

const START_MS = Date.UTC(2026, 0, 1);

/** A job sent at the start whose webhook arrives, and is answered 200, at both times. */
function takenAt(
  firstMs: number,
  secondMs: number,
  seen: { plan?: RunPlan; answered?: readonly Exchange[] } = {},
): readonly [repeated: number, again: number] {
  const { repeated, again } = takenAs(firstMs, secondMs, ["{}", "{}"], seen);
  return [repeated.count, again.count];
}

/** The same, with these bodies. */
function takenAs(
  firstMs: number,
  secondMs: number,
  bodies: readonly string[],
  { plan = BASE_PLAN, answered = [] }: { plan?: RunPlan; answered?: readonly Exchange[] } = {},
) {
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  for (const each of answered) noteServing(tally.serving, each, plan.times);
  const entry = sent("success", START_MS);
  ledger.add(entry);
  for (const [at, attempt] of [firstMs, secondMs].entries()) {
    const arrivedAtMs = START_MS + attempt;
    const body = bodies[at] ?? "";
    const delivery = arrived({ token: entry.token, attempt: at + 1, arrivedAtMs, body });
    takeDelivery({ tally, ledger, plan, retries: noRetries() }, delivery, true);
  }
  return tally.deliveries;
}

it("two webhooks of two jobs at one address are untruthful, and none repeats the other", () => {
  const bodies = ["job_1", "job_2"].map((id) => JSON.stringify({ job_uuid: id }));
  const { repeated, again, untruthful } = takenAs(600, 605, bodies);
  expect([repeated, again, untruthful].map(({ count }) => count)).toEqual([0, 0, 1]);
});

it.each([
  ["at once", 600, 605, [1, 0]],
  ["sooner than a first wait after the job", 600, 4_400, [1, 0]],
  ["5 s after an attempt that was sent at once, and held up for 2.5 s", 2_600, 5_100, [0, 1]],
  ["at once, of a job that took longer than a first wait", 6_000, 6_005, [1, 0]],
  ["after a first wait", 600, 5_700, [0, 1]],
] as const)("a webhook that comes again %s", (_, firstMs, secondMs, expected) => {
  expect(takenAt(firstMs, secondMs)).toEqual(expected);
});

const LOCAL = { ...BASE_PLAN, receiver: RECEIVER_ACCESS };
/** Who answers for 1.5 s in the midst of a limit of 3 s may have starved the process that sends. */
const SHORT = { ...LOCAL, times: { ...BASE_PLAN.times, webhookAnswerMs: 3_000 } };

it.each([
  ["was answered in the midst of the 10 s before", LOCAL, [4_000, 4_100], [1, 0]],
  ["was answered in the midst of the 3 s before", SHORT, [1_900, 1_950], [0, 1]],
  ["was answered in the midst of these, from afar", BASE_PLAN, [4_000, 4_100], [0, 1]],
  ["waited for its answer until after these", LOCAL, [4_000, 11_000], [0, 1]],
  ["was answered at their beginning", LOCAL, [2_000, 2_100], [0, 1]],
  ["was answered at their end", LOCAL, [9_000, 9_100], [0, 1]],
] as const)("a webhook that comes again where a request %s", (_, plan, times, expected) => {
  const [sentAtMs, receivedAtMs] = times.map((ms) => START_MS + ms);
  const answered = [answer(200, { sentAtMs: sentAtMs ?? 0, receivedAtMs: receivedAtMs ?? 0 })];
  expect(takenAt(600, 16_000, { plan, answered })).toEqual(expected);
});

it("a load remembers when the service answered for some hours at the most", () => {
  const serving: Serving = new Set();
  for (let slot = 0; slot < 50_000; slot += 1) {
    const atMs = START_MS + slot * 1_250;
    noteServing(serving, answer(200, { sentAtMs: atMs, receivedAtMs: atMs }), BASE_PLAN.times);
  }
  expect(serving.size).toBe(20_000);
  const { times } = BASE_PLAN;
  const at = (ms: number) => ({ arrivedAtMs: START_MS + ms, answeredAtMs: START_MS + ms });
  expect(wasServing(serving, at(49_000 * 1_250), times)).toBe(true);
  expect(wasServing(serving, at(0), times)).toBe(false);
  const late = { ...at(49_000 * 1_250), answeredAtMs: START_MS + 49_000 * 1_250 + 6_000 };
  expect(wasServing(serving, late, times)).toBe(false);
});

const TWO_ACCOUNTS = ["a", "b"].map((name) => key(name, { account: name }));

type Signed = readonly [account: string, Delivery["signature"]];

/** What counts after webhooks with these signatures, each of another job of the account's. */
function signedAs(signed: readonly Signed[], keys: readonly PlanKey[] = TWO_ACCOUNTS) {
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  const soak = { tally, ledger, plan: { ...BASE_PLAN, keys }, retries: noRetries() };
  for (const [at, [account, signature]] of signed.entries()) {
    const entry = { ...sent("success", START_MS), token: `token-${at}` };
    ledger.add({ ...entry, key: { ...entry.key, account } });
    const first = { token: entry.token, attempt: 1, arrivedAtMs: START_MS + 600, body: "{}" };
    takeDelivery(soak, { ...arrived(first), signature }, signature === "valid");
  }
  const { unsigned, unnamed } = tally.deliveries;
  return { unsigned: unsigned.count, unnamed };
}

describe("a signature that does not fit", () => {
  it("may be by the secret of an account of which nobody told it", () => {
    const seen = signedAs([
      ["a", "valid"],
      ["b", "invalid"],
      ["b", "invalid"],
    ]);
    expect(seen).toEqual({ unsigned: 0, unnamed: 2 });
  });

  it.each([
    ["before one that does", ["invalid", "valid"], 1],
    ["after one that does", ["valid", "invalid"], 1],
    ["before and after", ["invalid", "valid", "invalid"], 2],
  ] as const)("counts beside others of its account: %s", (_, signatures, unsigned) => {
    const signed = signatures.map((signature) => ["a", signature] as const);
    expect(signedAs(signed)).toEqual({ unsigned, unnamed: 0 });
  });

  it("counts at once where all keys are of one account", () => {
    const keys = ["a", "b"].map((name) => key(name, { account: "a" }));
    expect(signedAs([["a", "invalid"]], keys)).toEqual({ unsigned: 1, unnamed: 0 });
  });

  it("counts at once where keys name their secrets", () => {
    const keys = TWO_ACCOUNTS.map((each) => ({ ...each, webhookSecretEnv: "HOOK" }));
    expect(signedAs([["a", "invalid"]], keys)).toEqual({ unsigned: 1, unnamed: 0 });
  });

  it("is not like none, which counts whoever should have signed", () => {
    expect(signedAs([["a", "absent"]])).toEqual({ unsigned: 1, unnamed: 0 });
  });
});

it("a key's webhooks that another secret signed now and then are signed wrongly", () => {
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  const soak = { tally, ledger, plan: BASE_PLAN, retries: noRetries() };
  const unsigned = [0, 0, 1, 0, 0, 1].map((secretIndex, at) => {
    const entry = { ...sent("success", START_MS), token: `token-${at}` };
    ledger.add(entry);
    const arrivedAtMs = START_MS + at * 6_000;
    const first = { token: entry.token, attempt: 1, arrivedAtMs, body: "{}" };
    takeDelivery(soak, { ...arrived(first), signature: "valid", secretIndex }, true);
    return tally.deliveries.unsigned.count;
  });
  expect(unsigned).toEqual([0, 0, 0, 0, 1, 2]);
});

it("a webhook that another key's secret signed is signed wrongly, and told by its name", () => {
  const keys = ["a", "b"].map((name) => key(name, { webhookSecretEnv: name.toUpperCase() }));
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  const soak = { tally, ledger, plan: { ...BASE_PLAN, keys }, retries: noRetries() };
  for (const secretEnvs of [["A"], ["B"]]) {
    const entry = { ...sent("success", START_MS), token: `token-${secretEnvs[0]}` };
    ledger.add({ ...entry, key: { ...entry.key, name: "a" } });
    const first = { token: entry.token, attempt: 1, arrivedAtMs: START_MS + 600, body: "{}" };
    takeDelivery(soak, { ...arrived(first), signature: "valid", secretEnvs }, true);
  }
  const { count, kept } = tally.deliveries.unsigned;
  expect([count, kept[0]?.what]).toEqual([1, expect.stringMatching(/secret of key "b",/)]);
});

const AT = new Date(START_MS).toISOString();
const LATER = new Date(START_MS + 3_600_000).toISOString();
const TOLD = { event: "job.completed", job_uuid: "job_1", status: "completed", fired_at: AT };
const without = (name: keyof typeof TOLD) =>
  Object.fromEntries(Object.entries(TOLD).filter(([each]) => each !== name));

/** What is held against the first webhook of a job that ended so. */
function heldAgainst(body: unknown, status: string, given: Partial<Delivery> = {}) {
  const [tally, ledger] = [newTally(START_MS), newLedger()];
  const accepted = decodeAccepted({ job_uuid: "job_1", status: "queued", created_at: AT });
  const entry = { ...sent("success", START_MS), id: "job_1", accepted };
  ledger.add(entry);
  const text = JSON.stringify(body);
  const first = { token: entry.token, attempt: 1, arrivedAtMs: START_MS + 600, body: text };
  takeDelivery(
    { tally, ledger, plan: BASE_PLAN, retries: noRetries() },
    arrived({ ...first, ...given }),
    true,
  );
  const result = status === "completed" ? { text: "hello" } : null;
  const { value: job } = decodeJob({ job_uuid: "job_1", status, worker: "echo", result });
  if (job === null) throw new Error("expected a job");
  holdAgainst({ tally }, entry, job);
  const { misshapen, byOther } = tally.deliveries;
  return [misshapen, byOther].map(({ kept }) => kept.map(({ what }) => what).join());
}

describe("the body and the method of a webhook under load", () => {
  const whole = { ...TOLD, result: { text: "hello" } };

  it.each([
    ["without its event", { ...without("event"), result: {} }, /event is not a string/],
    ["without its time", { ...without("fired_at"), result: {} }, /fired_at is not an ISO/],
    ["fired an hour later", { ...TOLD, fired_at: LATER, result: {} }, /is 3599 s after the arr/],
    ["without the result of a worker that has one", TOLD, /result is not an object/],
  ])("%s", (_, body, expected) => {
    expect(heldAgainst(body, "completed")[0]).toMatch(expected);
  });

  it.each([
    ["as documented", whole, "completed", {}],
    ["of another end, which is open", { ...without("event"), status: "failed" }, "failed", {}],
    ["cut by the receiver", without("event"), "completed", { truncated: true }],
  ] as const)("%s: nothing", (_, body, status, given) => {
    expect(heldAgainst(body, status, given)).toEqual(["", ""]);
  });

  it("by PUT: promised POST", () => {
    expect(heldAgainst(whole, "completed", { method: "PUT" })[1]).toMatch(/PUT .*: promised POST/);
  });
});

/** What is held against a webhook that was read 1 s after the submission of a job so long. */
function earlinessOf(lastedMs: number, pollsMs: readonly (readonly [number, string])[]) {
  const tally = newTally(START_MS);
  const entry = { ...sent("success", START_MS), id: "job_1", toldAtMs: START_MS + 1_000 };
  const { token } = entry;
  entry.told = arrived({ token, attempt: 1, arrivedAtMs: START_MS + 990, body: "{}" });
  const at = (ms: number) => new Date(START_MS + AHEAD_MS + ms).toISOString();
  const ended = { job_uuid: "job_1", status: "failed", worker: "echo", completed_at: at(lastedMs) };
  for (const [ms, status] of pollsMs) {
    const job = { ...ended, status, created_at: at(0) };
    const times = { sentAtMs: START_MS + ms, receivedAtMs: START_MS + ms + 5 };
    entry.polls.push(pollOf(withJson(200, job, times)));
  }
  const { value: job } = decodeJob({ ...ended, created_at: at(0) });
  if (job === null) throw new Error("expected a job");
  holdAgainst({ tally }, entry, job);
  return tally.deliveries.early.kept.map(({ what }) => what).join();
}

/** The service's clock is another one; its times are no full seconds. */
const AHEAD_MS = 3_600_137;

describe("a webhook under load", () => {
  it("that comes 2 s before the end is early", () => {
    const said = earlinessOf(3_000, [[1_300, "running"]]);
    expect(said).toMatch(/still running at the next poll, and ended no sooner than 1498 ms/);
  });

  it.each([
    ["whose job had ended, by a view that lags behind", 900, [[1_300, "running"]]],
    [
      "whose job ended a little later, by the clock of another machine",
      1_400,
      [[1_300, "running"]],
    ],
    ["whose job no later poll shows under way", 3_000, [[900, "running"]]],
    ["whose job is shown ended alone", 3_000, [[1_300, "failed"]]],
  ] as const)("%s is not early", (_, lastedMs, pollsMs) => {
    expect(earlinessOf(lastedMs, pollsMs)).toBe("");
  });
});
