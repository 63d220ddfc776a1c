/** Which waits in a queue are due to jobs that the load itself wanted cancelled. */

import { describe, expect, it } from "vitest";
import { newBystander } from "../../../scenarios/load/bystander.ts";
import { expectCancel, takeCancelled, waitedBehindGroup } from "../../../scenarios/load/cancels.ts";
import { sent } from "./sent.ts";

/** A job to be cancelled, sent at 1,000 ms, and what became of it. */
function afterGroup(became: "cancelled" | "open" | "completed" | "refused") {
  const soak = { bystander: newBystander() };
  const ahead = sent("cancel", 1_000);
  expectCancel(soak, ahead);
  if (became === "cancelled") takeCancelled(soak, ahead);
  if (became === "completed") ahead.endSeenAtMs = 6_000;
  ahead.isClosed = became !== "open";
  return soak;
}

describe("a wait behind a job that the load wanted cancelled", () => {
  it.each([
    ["of one that was cancelled", "cancelled", false],
    ["of one that is still there", "open", true],
    ["of one that ran", "completed", true],
    ["of one that was refused", "refused", false],
  ] as const)("is the load's own: %s", (_what, became, isOwn) => {
    expect(waitedBehindGroup(afterGroup(became), sent("slow", 2_000), 3_000)).toBe(isOwn);
  });

  it.each([
    ["another worker's", sent("success", 2_000, "echo"), 3_000],
    ["over before it came", sent("slow", 0), 900],
    ["begun when it had left", sent("slow", 6_500), 3_000],
  ])("is the service's where it is %s", (_what, entry, waitedMs) => {
    expect(waitedBehindGroup(afterGroup("completed"), entry, waitedMs)).toBe(false);
  });

  it("is the load's own within the group", () => {
    expect(waitedBehindGroup(afterGroup("cancelled"), sent("cancel", 1_100), 3_000)).toBe(true);
  });
});
