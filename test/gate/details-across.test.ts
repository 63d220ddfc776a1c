/** What the details of a worker tell is compared over all runs. */

import { describe, expect, it } from "vitest";
import { detailTold } from "../../contract/decode/detail-told.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { detailsAcross } from "../../gate/details-across.ts";
import { answer } from "../contract/judges/answers.ts";

const TEXT = { type: "string" };
const DETAIL = {
  timeout_seconds: 8,
  price_per_run_credits: 2,
  input_schema: { properties: { a: TEXT, b: TEXT }, required: ["a", "b"] },
};

/** One run for each answer, 100 ms apart unless all were asked at once. */
function found(details: readonly object[], apartMs = 100, worker = () => "w", key = () => "k") {
  const runs = details.map((detail, at) => {
    const sentAtMs = at * apartMs;
    const sent = {
      route: "worker",
      path: `/v1/workers/${worker()}`,
      sentAtMs,
      key: key(),
    } as const;
    const body = JSON.stringify({ ...DETAIL, ...detail });
    const told = detailTold(answer(200, { ...sent, receivedAtMs: sentAtMs + 10, body }));
    return told === null ? [] : [{ type: "detail", scenario: "s", told } as EvidenceRecord];
  });
  return detailsAcross(runs.map((records) => ({ records })));
}

const limits = (...seconds: readonly unknown[]) =>
  seconds.map((each) => ({ timeout_seconds: each }));
const schemas = (...each: readonly object[]) =>
  each.map((members) => ({ input_schema: { ...DETAIL.input_schema, ...members } }));

describe("the details of a worker", () => {
  it("do not tell another limit and then the first again", () => {
    const [finding] = found(limits(8, 10, 8));
    expect(finding).toMatchObject({ promise: "workers.detail-shape", verdict: "broken" });
    expect(finding?.summary).toMatch(
      /"w" told a longest run of 8 s at .*, a longest run of 10 s at .*, the first again at/,
    );
  });

  it.each([
    ["another field is required", { required: ["a"] }],
    ["a field has another type", { properties: { a: TEXT, b: { type: "integer" } } }],
    ["a field is missing", { properties: { a: TEXT } }],
  ])("do not tell for a moment that %s", (_, other) => {
    expect(found(schemas({}, other, {}))).toHaveLength(1);
  });

  it.each([
    ["a limit that changes once", limits(8, 8, 10, 10)],
    ["a limit that is left out at times", limits(8, null, 8)],
    ["the same in another order", schemas({}, { required: ["b", "a"] }, {})],
    ["another description", schemas({}, { description: "of it", title: "x" }, {})],
    ["a price that moves", [{}, { price_per_run_credits: 3 }, {}]],
  ])("may tell %s", (_, details) => {
    expect(found(details)).toEqual([]);
  });

  it("that were asked at once have no order", () => {
    expect(found(limits(8, 10, 8), 0)).toEqual([]);
  });

  it("may differ by instance for as long as these take to learn of a change", () => {
    expect(found(limits(8, 10, 8, 10), 20_000)).toEqual([]);
    expect(found(limits(8, 10, 8, 10), 130_000)).toHaveLength(1);
  });

  it("are not compared with what another key is told", () => {
    const keys = ["free", "pro", "free"].values();
    expect(
      found(
        limits(8, 10, 8),
        100,
        () => "w",
        () => keys.next().value ?? "",
      ),
    ).toEqual([]);
  });

  it("are not compared with those of another worker", () => {
    const ids = ["w", "other", "w"].values();
    expect(found(limits(8, 10, 8), 100, () => ids.next().value ?? "")).toEqual([]);
  });
});
