/** Waits on a way that loses something now and then: what is lost twice comes much later. */

import { describe, expect, it } from "vitest";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import { timelineOf } from "../../../../contract/judges/webhook/build-timeline.ts";
import type { WebhookCase } from "../../../../contract/judges/webhook/case.ts";
import { waitClaim } from "../../../../contract/judges/webhook/wait.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { afar, caseOf, HEALTHY, runWith, webhookFinding } from "./healthy-run.ts";

/** Whose first attempt was 1.1 s on its way, where the sender counts from when it sent it. */
const HELD_UP = [0, 3_900];
/** Whose second attempt was lost four times in a row. */
const LATE = [0, 19_000];

const sentAgain = (one: WebhookCase): WebhookCase => {
  const { submission } = one;
  return { ...one, submission: { ...submission, receivedAtMs: submission.sentAtMs + 260 } };
};

/** So many of some thirty first waits are off; so many exchanges were sent again. */
function verdictOf(off: number, resent: number, atMs = HELD_UP) {
  const moved = () => Array.from({ length: off }, () => caseOf("recovery", atMs));
  const recovery = () => [...HEALTHY.recovery(), ...moved()];
  const run = runWith({ recovery, ladder: () => Array.from({ length: 12 }, ladder) });
  const cases = run.cases.map((one, at) => (at < resent ? sentAgain(one) : one));
  return decide(waitClaim(timelineOf({ ...run, cases }), 0));
}

const ladder = () => caseOf("ladder", [0, 5_002, 35_004, 335_006]);

describe("first waits that are off", () => {
  it("by a second are the way's where it loses, and no more of them than chance makes", () => {
    const { verdict, summary } = verdictOf(2, 3);
    expect(verdict, summary).not.toBe("broken");
    expect(JSON.stringify(verdictOf(2, 3).evidence)).toContain("network");
  });

  it("are the way's by 10 s or more only where it loses much", () => {
    expect(verdictOf(2, 3, LATE).verdict).toBe("broken");
    expect(verdictOf(1, 12, LATE).verdict).not.toBe("broken");
  });

  it("are the service's where nothing was lost", () => {
    expect(verdictOf(2, 0).verdict).toBe("broken");
  });

  it("are the service's where they are many", () => {
    expect(verdictOf(12, 3).verdict).toBe("broken");
  });
});

describe("first waits that are short by what connecting explains", () => {
  // Only the first attempt opens a connection.
  const delivery = ({ attempt }: Delivery) => ({ requestsBefore: attempt - 1 });
  const verdictWith = (missing: readonly (readonly number[])[]) => {
    const run = afar({
      ladder: () => Array.from({ length: 12 }, ladder),
      "not-found": () => missing.map((ms) => caseOf("not-found", ms, { delivery })),
    });
    return decide(waitClaim(timelineOf(run), 0)).verdict;
  };
  const SHORT = [0, 4_000];
  const WHOLE = [0, 5_002];

  it("say nothing of the others", () => {
    expect(verdictWith([SHORT, WHOLE, WHOLE])).toBe("kept");
  });

  it("leave it in doubt where they are all of one way to fail", () => {
    expect(verdictWith([SHORT, SHORT, SHORT])).toBe("inconclusive");
  });
});

describe("attempts that a front answers by itself", () => {
  const [FIRST, SECOND, THIRD] = [
    [0, 30_002, 330_004],
    [0, 35_003, 335_005],
    [0, 5_002, 335_005],
  ];
  const PROMISES = [
    "webhook.retried",
    "webhook.wait-1",
    "webhook.wait-2",
    "webhook.wait-3",
  ] as const;
  const verdictsWith = (ladders: readonly (readonly number[])[], isLocal = false) => {
    const away = () => ladders.map((atMs) => caseOf("ladder", atMs));
    const usual = () => Array.from({ length: 12 }, ladder);
    const run = runWith({ ladder: () => [...usual(), ...away()] }, { isLocal });
    return PROMISES.map((promise) => webhookFinding(promise, run).verdict);
  };
  const ALL_KEPT = PROMISES.map(() => "kept");

  it.each([FIRST, SECOND, THIRD])("are attempts: of %i, %i and %i ms", (...atMs) => {
    expect(verdictsWith([atMs])).toEqual(ALL_KEPT);
  });

  it("are few, and there are none on one machine", () => {
    expect(verdictsWith([SECOND, THIRD])).toEqual(ALL_KEPT);
    const many = [1, 2, 3].flatMap(() => [FIRST, SECOND, THIRD]);
    expect(verdictsWith(many)).toContain("inconclusive");
    expect(verdictsWith([SECOND], true)).toContain("broken");
  });

  it("are not all that would follow one way to fail", () => {
    const missing = () => [0, 1].map(() => caseOf("not-found", [0, 35_003]));
    const usual = () => Array.from({ length: 12 }, ladder);
    const run = runWith({ ladder: usual, "not-found": missing }, { isLocal: false });
    expect(webhookFinding("webhook.wait-1", run).verdict).toBe("broken");
  });
});
