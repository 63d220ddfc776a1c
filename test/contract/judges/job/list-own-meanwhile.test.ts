/** Jobs that wait and run belong to the recent jobs. Spec §4.5. */

import { describe, expect, it } from "vitest";
import { listedMeanwhileClaim } from "../../../../contract/judges/job/list-own-meanwhile.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { at, T0, withJson } from "../answers.ts";

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
