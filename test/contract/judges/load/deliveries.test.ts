/** What single webhooks of a soak have against promises that are another scenario's. */

import { describe, expect, it } from "vitest";
import type { DeliveryContext } from "../../../../contract/judges/load/deliveries.ts";
import { judgeLoadDeliveries } from "../../../../contract/judges/load/deliveries.ts";
import type { DeliveryTally } from "../../../../contract/judges/load/tally.ts";
import { findingOf } from "../../findings.ts";
import { violations } from "./violations.ts";

const WELL: DeliveryTally = {
  judged: 200,
  unsigned: violations(0),
  unnamed: 0,
  untruthful: violations(0),
  wrongResult: violations(0),
  early: violations(0),
  misshapen: violations(0),
  byOther: violations(0),
  repeated: violations(0),
  again: violations(0),
  retried: 40,
  unretried: violations(0),
  mistimed: violations(0),
  goneOn: violations(0),
};
const HERE: DeliveryContext = {
  isLocal: true,
  isLate: false,
  hasStalled: false,
  lateAnswers: { count: 0, of: 200 },
  isIncomplete: false,
  areOverdue: false,
};
const AFAR: DeliveryContext = { ...HERE, isLocal: false };
const LATE: DeliveryContext = { ...HERE, isLate: true };
const UNREAD: DeliveryContext = { ...HERE, isIncomplete: true };
const OVERDUE: DeliveryContext = { ...HERE, areOverdue: true };

const some = (name: Exclude<keyof DeliveryTally, "judged" | "retried" | "unnamed">, count = 1) => ({
  ...WELL,
  [name]: violations(count, "job_1: POST at 2026-01-01T00:00:00.000Z: was wrong"),
});

describe("the webhooks of a soak", () => {
  it.each([
    ["are well", WELL, HERE, []],
    ["lack a signature", some("unsigned"), AFAR, ["webhook.signed"]],
    ["say otherwise than the job", some("untruthful"), AFAR, ["webhook.truthful"]],
    ["have another result", some("wrongResult"), AFAR, ["webhook.result"]],
    ["come before the end", some("early"), AFAR, ["webhook.not-before-terminal"]],
    ["lack a documented field", some("misshapen"), AFAR, ["webhook.body"]],
    ["come by another method", some("byOther"), AFAR, ["webhook.delivered"]],
    ["come again soon", some("repeated"), AFAR, ["webhook.once"]],
    ["come again as a retry would", some("again"), HERE, ["webhook.once"]],
    ["come again as a retry would, through a network", some("again", 3), AFAR, []],
    ["come again in numbers that no network loses", some("again", 30), AFAR, ["webhook.once"]],
    ["come again while the machine was late", some("repeated"), LATE, []],
    ["fail and don't come again", some("unretried"), HERE, ["webhook.retried"]],
    ["fail and don't come again, as a network may lose one", some("unretried"), AFAR, []],
    ["fail and don't come again in numbers", some("unretried", 9), AFAR, ["webhook.retried"]],
    ["fail and don't come again, as far as was read", some("unretried"), UNREAD, []],
    ["come again too soon", some("mistimed"), HERE, ["webhook.wait-1"]],
    [
      "come again too soon, as taken ones do, so that two senders are at work",
      { ...some("mistimed"), repeated: some("repeated", 3).repeated },
      HERE,
      ["webhook.once"],
    ],
    [
      "come again after a retry that was taken, as after any that was",
      { ...some("goneOn", 9), again: some("again", 30).again },
      AFAR,
      ["webhook.once"],
    ],
    [
      "come again after a retry that was taken, and hardly after another",
      { ...some("goneOn", 9), repeated: some("repeated").repeated },
      HERE,
      ["webhook.once", "webhook.recovers"],
    ],
    [
      "come again too soon, and hardly any that was taken does",
      { ...some("mistimed", 9), repeated: some("repeated").repeated },
      HERE,
      ["webhook.once", "webhook.wait-1"],
    ],
    [
      "come again too soon, and what was taken as a retry would",
      { ...some("mistimed", 9), again: some("again", 30).again },
      AFAR,
      ["webhook.once", "webhook.wait-1"],
    ],
    ["come again too soon, as a network may hold up one", some("mistimed"), AFAR, []],
    ["come again too soon in numbers", some("mistimed", 9), AFAR, ["webhook.wait-1"]],
    ["come again too soon while the machine was late", some("mistimed"), LATE, []],
    ["come again after a retry that was taken", some("goneOn"), HERE, ["webhook.recovers"]],
    ["come again after such a retry, through a network", some("goneOn"), AFAR, []],
    ["come again after such retries in numbers", some("goneOn", 9), AFAR, ["webhook.recovers"]],
    ["come again after such a retry while the machine was late", some("goneOn", 9), LATE, []],
    ["fail and don't come again, as others came overdue", some("unretried"), OVERDUE, []],
  ] as const)("%s", (_title, tally, context, broken) => {
    const findings = judgeLoadDeliveries(tally, context);
    const contradicted = findings.filter(({ verdict }) => verdict !== "kept");
    expect(findings.every(({ inPassing }) => inPassing === true)).toBe(true);
    expect(contradicted.map(({ promise, verdict }) => [promise, verdict])).toEqual(
      broken.map((promise) => [promise, "broken"]),
    );
    for (const { summary } of contradicted)
      expect(summary).toMatch(/of (200|160|4\d) .* job_1: POST at 2026/);
  });

  it("come again too soon, where a machine that stood still tells nothing of two senders", () => {
    const tally = { ...some("mistimed", 2), repeated: some("repeated", 2).repeated };
    const findings = judgeLoadDeliveries(tally, { ...HERE, hasStalled: true });
    const told = findings.map(({ promise, verdict }) => `${promise} ${verdict}`);
    expect(told).toEqual(
      expect.arrayContaining(["webhook.once inconclusive", "webhook.wait-1 broken"]),
    );
  });

  it("signed under another name or by another secret say nothing of signatures; others do", () => {
    const signedOf = (tally: DeliveryTally) =>
      judgeLoadDeliveries(tally, HERE).find(({ promise }) => promise === "webhook.signed")?.verdict;
    expect(signedOf({ ...WELL, unnamed: 200 })).toBeUndefined();
    expect(signedOf({ ...some("unsigned"), unnamed: 199 })).toBe("broken");
  });

  it.each(["repeated", "again"] as const)("%s: open, where the machine stood still", (name) => {
    const stalled = { ...HERE, hasStalled: true };
    const once = (tally: DeliveryTally) =>
      findingOf(judgeLoadDeliveries(tally, stalled), "webhook.once");
    expect(once(some(name)).verdict).toBe("inconclusive");
    expect(once(some(name)).reason).toMatch(/this machine stood still meanwhile/);
    expect(once(WELL).verdict).toBe("kept");
  });

  it.each([
    ["no more than answers were late, as a sender may be", some("again", 3), "inconclusive"],
    ["many more than that", some("again", 30), "broken"],
    ["sooner than any retry", some("repeated", 3), "broken"],
  ] as const)("come again, %s: %s", (_title, tally, verdict) => {
    const context = { ...HERE, lateAnswers: { count: 2, of: 200 } };
    expect(findingOf(judgeLoadDeliveries(tally, context), "webhook.once").verdict).toBe(verdict);
  });
});
