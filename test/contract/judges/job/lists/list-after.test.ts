/** A key's list when a load is over: the latest of its own jobs. Spec §4.5. */

import { describe, expect, it } from "vitest";
import { listAfterClaim } from "../../../../../contract/judges/job/lists/list-own-meanwhile.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { at, withJson } from "../../answers.ts";

const id = (n: number) => `job_${n}`;
const FOREIGN = id(5_000);
const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => id(from + index));
const list = (of: readonly string[]) =>
  withJson(200, { jobs: of.map((job_uuid) => ({ job_uuid })) }, at(100_000));
/** Jobs accepted one after the other, each of which ends a millisecond later. */
const own = (count: number, isEndKnown = true, everyMs = 10) =>
  Array.from({ length: count }, (_, n) => {
    const settledAtMs = isEndKnown ? at(everyMs * n).receivedAtMs + 1 : null;
    return { id: id(n), ...at(everyMs * n), settledAtMs };
  });
/** Those of the 100 s before the list. */
const lately = own(1_000, true, 100);

describe("the list after a load", () => {
  it.each([
    ["the latest 100 of 1,000", list(ids(900, 999)), own(1_000), "kept"],
    ["the latest 20", list(ids(980, 999)), own(1_000), "kept"],
    ["those of 500 jobs ago", list(ids(400, 499)), own(1_000), "broken"],
    ["those of long ago, whose end is unknown", list(ids(400, 499)), own(1_000, false), "kept"],
    ["none at all", list([]), own(1_000), "broken"],
    ["those of 28 s ago", list(ids(621, 720)), lately, "kept"],
    ["those of 32 s ago", list(ids(581, 680)), lately, "broken"],
    ["those of 28 s ago, and a later one", list([...ids(622, 720), id(900)]), lately, "broken"],
    ["none at all, in the first half minute", list([]), lately.slice(720), "inconclusive"],
    ["none at all, after it", list([]), [...lately.slice(0, 1), ...lately.slice(720)], "broken"],
    ["another account's, too", list([FOREIGN, ...ids(901, 999)]), own(1_000), "broken"],
    ["other jobs, of a key without any", list(ids(900, 999)), [], "unobserved"],
    ["an error", { ...list([]), status: 500 }, own(1_000), "unobserved"],
  ])("%s: %#", (_name, exchange, known, verdict) => {
    const seen = { key: "big", list: exchange, own: known, leftOut: null, foreignIds: [FOREIGN] };
    expect(decide(listAfterClaim(seen)).verdict).toBe(verdict);
  });

  it.each([
    ["is not to be had, though another endpoint is", 200, "broken"],
    ["is not to be had, and nothing is", 503, "unobserved"],
  ])("that %s: %#", (_name, elsewhere, verdict) => {
    const last = { ...list([]), status: 500 };
    const refusals = {
      first: { ...last, ...at(70_000) },
      times: 30,
      meanwhile: withJson(elsewhere, {}, at(100_020)),
    };
    const seen = { key: "big", list: last, refusals, own: own(9), leftOut: null, foreignIds: [] };
    expect(decide(listAfterClaim(seen)).verdict).toBe(verdict);
  });

  it("that lacks a job is told with its submission", () => {
    const submission = withJson(202, { job_uuid: id(7) }, at(70));
    const seen = { key: "big", list: list([]), own: own(9), leftOut: submission, foreignIds: [] };
    const [first] = decide(listAfterClaim(seen)).observations;
    expect(JSON.stringify(first)).toContain(id(7));
  });
});
