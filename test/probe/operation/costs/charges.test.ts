/** What readings of the balance show of the probe's own jobs, and what they leave open. */

import { expect, it } from "vitest";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { Charges } from "../../../../probe/operation/costs/charges.ts";
import { BASE_TARGET } from "../../../gate/base-target.ts";

const MINUTE_MS = 60_000;

function credits(balance: number, sentAtMs: number, beside: object = {}): Exchange {
  const about = { method: "GET", route: "credits", path: "/v1/me/credits", key: "pro" } as const;
  const times = { sentAtMs, receivedAtMs: sentAtMs + 10 };
  const rest = { requestBody: null, status: 200, headers: {}, error: null };
  return { ...about, ...times, ...rest, body: JSON.stringify({ balance, ...beside }) };
}

interface Course {
  /** What a job that costs 1 takes from the balance. */
  takes?: number;
  /** What a timeout takes, which says that it costs nothing. */
  timeoutTakes?: number;
  /** What a job takes in the hour before; left out where there was none. */
  tookBefore?: number;
  /** What others take in each minute. */
  others?: number;
  /** In which minutes others take 1. */
  othersAt?: readonly number[];
  /** When jobs end after a reading; those of the last seconds may be charged after the next one. */
  endsAfterMs?: number;
}

/** A reading a minute for twenty; every other has a job after it, every fourth a timeout, too. */
function brokenIn(course: Course) {
  const { takes = 1, tookBefore, timeoutTakes = 0, endsAfterMs = 20_000 } = course;
  const { others = 0, othersAt = [] } = course;
  const changesAt = tookBefore === undefined ? 0 : 60;
  const charges = new Charges();
  let balance = 1_000;
  const broken = new Set<string>();
  for (let minute = 0; minute < changesAt + 20; minute += 1) {
    const atMs = minute * MINUTE_MS;
    for (const { promise } of charges.violations(credits(balance, atMs), BASE_TARGET)) {
      broken.add(promise);
    }
    balance -= others + (othersAt.includes(minute) ? 1 : 0);
    if (minute % 2 === 1) continue;
    run(charges, `job ${minute}`, atMs + endsAfterMs, false);
    balance -= minute < changesAt ? (tookBefore ?? 0) : takes;
    if (minute % 4 !== 0) continue;
    run(charges, `timeout ${minute}`, atMs + endsAfterMs, true);
    if (minute >= changesAt) balance -= timeoutTakes;
  }
  return [...broken];
}

function run(charges: Charges, runId: string, endMs: number, isTimeout: boolean): void {
  charges.begins(runId);
  const stated = { credits: isTimeout ? 0 : 1, usd: 0 };
  charges.ends(runId, endMs, stated, isTimeout ? "timeout" : "completed");
}

const TWICE_LATER: Course = { tookBefore: 1, takes: 2 };
const NOW_AND_THEN: Course = { tookBefore: 1, othersAt: [10, 34, 64, 68] };

it.each([
  ["once break nothing", {}, []],
  ["twice break job.run-once", { takes: 2 }, ["job.run-once"]],
  ["twice, while others use the account, break nothing", { takes: 2, others: 3 }, []],
  [
    "twice, if they ended right before a reading, break nothing",
    { takes: 2, endsAfterMs: 55_000 },
    [],
  ],
  ["1 % more than they cost break nothing", { takes: 1.01 }, []],
  ["twice after an hour of right ones break job.run-once", TWICE_LATER, ["job.run-once"]],
  ["by a third more after an hour of right ones break nothing", { ...TWICE_LATER, takes: 1.3 }, []],
  ["for timeouts break timeout.free", { timeoutTakes: 1 }, ["timeout.free"]],
  ["once, while others use the account now and then, break nothing", NOW_AND_THEN, []],
  ["for timeouts, while others use the account, break nothing", { timeoutTakes: 1, others: 3 }, []],
] as readonly [string, Course, string[]][])("charges that are made %s", (_, course, broken) => {
  expect(brokenIn(course)).toEqual(broken);
});

it.each([
  [7, "alone", () => ({})],
  [10, "alone", () => ({})],
  [6, "alone", () => ({})],
  [6, "beside a limit and what was used", (left: number) => ({ limit: 5, used: 1_000 - left })],
  [6, "beside the requests that are left", (_: number, at: number) => ({ requests: 9_999 - at })],
] as const)("what is held for 2 min each %i, shown %s, breaks nothing", (every, _, beside) => {
  const charges = new Charges();
  let balance = 1_000;
  for (let minute = 0; minute < 240; minute += 1) {
    const atMs = minute * MINUTE_MS;
    const reading = credits(balance, atMs, beside(balance, minute));
    expect(charges.violations(reading, BASE_TARGET)).toEqual([]);
    if (minute % every === 3) balance += 1;
    for (const isTimeout of [false, true]) {
      if (minute % (isTimeout ? every : 3) !== Number(isTimeout)) continue;
      run(charges, `run ${minute} ${isTimeout}`, atMs + 20_000, isTimeout);
      balance -= 1;
    }
  }
});

it("what was charged before a gap is forgotten", () => {
  const charges = new Charges();
  const read = (balance: number, atMs: number) =>
    charges.violations(credits(balance, atMs), BASE_TARGET);
  read(1_000, 0);
  run(charges, "a", 20_000, false);
  read(998, MINUTE_MS);
  read(998, 3 * MINUTE_MS);
  charges.forget();
  run(charges, "b", 3.5 * MINUTE_MS, false);
  expect(read(996, 4 * MINUTE_MS)).toEqual([]);
});
