/** Jobs that wait and run belong to the recent jobs. Spec §4.5. */

import { describe, expect, it } from "vitest";
import {
  judgeListBefore,
  judgeRefusedMeanwhile,
  listedMeanwhileClaim,
} from "../../../../../contract/judges/job/lists/list-own-meanwhile.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { answer, at, T0, withJson } from "../../answers.ts";

const job = (id: string, sentMs: number, endMs: number | null = null) => ({
  id,
  sentAtMs: T0 + sentMs,
  receivedAtMs: T0 + sentMs + 5,
  settledAtMs: endMs === null ? null : T0 + endMs,
});
const OWN = [job("old", 0, 500), job("slow", 1_000), job("new", 1_100, 1_500)];

const list = (ms: number, ids: readonly string[], more: object = {}) => [
  withJson(200, { jobs: ids.map((id) => ({ job_id: id })), ...more }, { ...at(ms), route: "jobs" }),
];

describe("job.list-own, while jobs run", () => {
  it.each([
    ["all", ["new", "slow", "old"], "kept"],
    ["one that runs is left out", ["new", "old"], "broken"],
    ["a list that is cut short before it", ["new"], "kept"],
    ["a list that is behind", ["old"], "kept"],
    ["an empty list", [], "unobserved"],
  ])("%s: %#", (_, ids, verdict) => {
    const lists = [list(4_500, ids), list(6_800, ids)];
    expect(decide(listedMeanwhileClaim({ lists, own: OWN })).verdict).toBe(verdict);
  });

  it.each([
    ["one list", [list(6_800, ["new", "old"])]],
    [
      "lists soon after it was accepted",
      [list(1_500, ["new", "old"]), list(4_000, ["new", "old"])],
    ],
    ["a job that comes late", [list(4_500, ["new", "old"]), list(6_800, ["new", "slow", "old"])]],
    [
      "pages that were not seen",
      [4_500, 6_800].map((ms) => list(ms, ["new", "old"], { next_cursor: "x" })),
    ],
  ])("%s: no contradiction", (_, lists) => {
    expect(decide(listedMeanwhileClaim({ lists, own: OWN })).verdict).not.toBe("broken");
  });
});

describe("job.list-own, before so many jobs come that old ones go", () => {
  it.each([
    ["all", ["new", "slow", "old"], []],
    ["one that ended late is left out", ["new", "old"], ["broken"]],
    ["a list that is cut short before it", ["new"], []],
  ])("%s: %#", (_, ids, verdicts) => {
    const [before] = list(20_000, ids);
    if (before === undefined) throw new Error("no list was made");
    expect(judgeListBefore(before, OWN).map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});

describe("job.list-own, where lists are refused while jobs run", () => {
  const seen = (status: number, ...times: readonly number[]) => {
    return { lists: times.map((ms) => [answer(status, at(ms))]), own: OWN };
  };
  const [early, late] = [seen(500, 0, 2_000), seen(500, 12_000, 14_000)];
  const good = (ms: number) => list(ms, ["old"]);
  it.each([
    ["each time, and answered in between", [early, late], good(8_000), ["broken"]],
    ["each time, and answered afterwards alone", [early, late], good(15_000), []],
    ["for a moment", [seen(500, 0), seen(500, 4_000)], good(2_000), []],
    ["once", [early, seen(200, 12_000)], good(8_000), []],
    ["by the key", [seen(401, 0), seen(401, 12_000)], good(8_000), []],
  ])("%s: %#", (_, all, others, verdicts) => {
    const found = judgeRefusedMeanwhile(all, others).map(({ verdict }) => verdict);
    expect(found).toEqual(verdicts);
  });
});
