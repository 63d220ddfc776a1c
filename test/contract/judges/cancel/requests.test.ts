/** Which cancel requests tell of a promise: of an unknown method, late ones, several. Spec §3.2. */

import { describe, expect, it } from "vitest";
import type { CancelTrial } from "../../../../contract/judges/cancel/cancel-trial.ts";
import {
  CANCEL_PROMISES,
  cancelEffectMs,
  isUnderstood,
  judgeCancel,
} from "../../../../contract/judges/cancel/index.ts";
import type { State } from "../../../../contract/states.ts";
import { answer, at } from "../answers.ts";
import { CONTEXT, trial } from "./trials.ts";

describe("a method that the service does not have", () => {
  it.each([
    [405, "inconclusive"],
    [501, "inconclusive"],
    [409, "broken"],
  ])("answered %i: cancel.queued is %s", (status, verdict) => {
    const given = trial("A", ["queued", "queued", "running", "completed"]);
    const cancel = answer(status, { method: "DELETE", ...at(10) });
    const finding = judgeCancel("cancel.queued", [{ ...given, cancel }], CONTEXT);
    expect(finding.verdict).toBe(verdict);
  });

  it("excuses a job that the service cancelled later on", () => {
    const cancel = answer(405, { method: "DELETE", ...at(10) });
    const given = { ...trial("B", ["queued", "queued", "running", "cancelled"]), cancel };
    expect(judgeCancel("cancel.queued", [given], CONTEXT).verdict).toBe("inconclusive");
  });

  it.each([
    [405, false, "inconclusive"],
    [405, true, "kept"],
    [409, false, "kept"],
  ])("answered %i says of other jobs, if it ever worked (%s): %s", (status, works, verdict) => {
    const cancel = answer(status, { method: "DELETE", ...at(10) });
    const context = { ...CONTEXT, methodWorks: works };
    const running = { ...trial("A", ["running", "running", "completed"]), cancel };
    const ended = { ...trial("A", ["completed", "completed"]), cancel };
    expect(judgeCancel("cancel.not-running", [running], context).verdict).toBe(verdict);
    expect(judgeCancel("cancel.not-terminal", [ended], context).verdict).toBe(verdict);
  });

  it("is known to be understood by what it did, if not by its answer", () => {
    const cancel = answer(504, { method: "DELETE", ...at(10) });
    expect(isUnderstood([{ ...trial("A", ["queued", "cancelled"]), cancel }])).toBe(true);
    expect(isUnderstood([{ ...trial("A", ["queued", "queued", "running"]), cancel }])).toBe(false);
  });

  /** Of two running jobs one is cancelled, or both. */
  it.each([
    ["B", 409, 1, "inconclusive"],
    ["B", 409, 2, "broken"],
    ["B", 200, 1, "broken"],
    ["A", 409, 1, "broken"],
  ] as const)("variant %s, answered %i, %i of 2 running jobs cancelled: %s", (...row) => {
    const [variant, status, cancelled, verdict] = row;
    const cancel = answer(status, { method: "DELETE", ...at(10) });
    const other: readonly State[] =
      cancelled === 2 ? ["running", "cancelled"] : ["running", "running", "completed"];
    const trials = [trial(variant, ["running", "cancelled"]), trial(variant, other)];
    const given = trials.map((each) => ({ ...each, cancel }));
    expect(judgeCancel("cancel.not-running", given, CONTEXT).verdict).toBe(verdict);
  });

  it("does not excuse what the request did", () => {
    const cancel = answer(405, { method: "DELETE", ...at(10) });
    const running = { ...trial("A", ["running", "cancelled"]), cancel };
    const ended = { ...trial("A", ["completed", "cancelled"]), cancel };
    const resumed = { ...trial("A", ["queued", "cancelled", "running", "completed"]), cancel };
    expect(judgeCancel("cancel.not-running", [running], CONTEXT).verdict).toBe("broken");
    expect(judgeCancel("cancel.not-terminal", [ended], CONTEXT).verdict).toBe("broken");
    expect(judgeCancel("cancel.queued", [resumed], CONTEXT).verdict).toBe("broken");
    const late = { ...trial("A", ["queued", "queued", "cancelled", "running"]), cancel };
    expect(judgeCancel("cancel.queued", [late], CONTEXT).verdict).toBe("broken");
  });
});

describe("a cancel that takes effect late", () => {
  const late = trial("A", ["queued", "queued", "queued", "cancelled"]);

  it("took as long as the job was seen waiting after the request", () => {
    expect(cancelEffectMs([trial("A", ["queued", "cancelled"])])).toBe(0);
    const [sentAtMs, seenAtMs] = [late.cancel.sentAtMs, late.after.at(-1)?.receivedAtMs ?? 0];
    expect(cancelEffectMs([trial("A", ["queued", "cancelled"]), late])).toBe(seenAtMs - sentAtMs);
  });

  it.each([
    ["as long", 20, "kept"],
    ["not as long", 21, "inconclusive"],
  ])("keeps cancel.not-running where the job ran on %s", (_name, effectMs, verdict) => {
    const ran = trial("A", ["running", "running", "running", "completed"]);
    expect(judgeCancel("cancel.not-running", [ran], { ...CONTEXT, effectMs }).verdict).toBe(
      verdict,
    );
  });

  it("keeps cancel.not-running where it took until the queued job's turn", () => {
    const ran = trial("A", ["running", "running", "running", "completed"]);
    const context = { ...CONTEXT, effectMs: 8_000, latestMs: 20 };
    expect(judgeCancel("cancel.not-running", [ran], context).verdict).toBe("kept");
  });

  it.each([
    ["when a cancel would have shown", 20, "kept"],
    ["not so late", 21, "inconclusive"],
  ])("keeps cancel.not-terminal where the job was read %s", (_name, effectMs, verdict) => {
    const read = trial("A", ["completed", "completed", "completed"]);
    const unread = { ...read.cancel, ...at(60), status: 0, body: "" };
    const given = { ...read, after: [...read.after, unread] };
    expect(judgeCancel("cancel.not-terminal", [given], { ...CONTEXT, effectMs }).verdict).toBe(
      verdict,
    );
  });

  it("keeps nothing where one job alone tells of the request", () => {
    const context = { ...CONTEXT, methodUnknown: true };
    const finding = judgeCancel("cancel.queued", [trial("A", ["queued", "cancelled"])], context);
    expect(finding.verdict).toBe("inconclusive");
    expect(finding.reason).toContain("more than one queued job");
  });
});

describe("more than one trial", () => {
  it("a race and a proper trial together are kept", () => {
    const trials = [trial("B", ["queued", "running"]), trial("B", ["queued", "cancelled"])];
    expect(judgeCancel("cancel.queued", trials, CONTEXT).verdict).toBe("kept");
  });

  it("a method that nobody knows breaks nothing", () => {
    const trials = [trial("B", ["queued", "queued", "running", "completed"])];
    const finding = judgeCancel("cancel.queued", trials, { ...CONTEXT, methodUnknown: true });
    expect(finding.verdict).toBe("inconclusive");
  });

  it.each(CANCEL_PROMISES)("no trial is unobserved, with the reason: %#", (promise) => {
    const finding = judgeCancel(promise, [], CONTEXT);
    expect(finding).toMatchObject({ verdict: "unobserved", reason: "nothing tried" });
  });
});

it("a cancelled job of variant B may cost the infrastructure that it had waited for", () => {
  const cost = { total_usd: 0.01, run_usd: 0, infra_usd: 0.01 };
  const seen = trial("B", ["queued", "cancelled"], { cost });
  expect(judgeCancel("cancel.queued", [seen], CONTEXT).verdict).toBe("kept");
});

describe("what was not tried", () => {
  const notTried = (given: CancelTrial, promise: "cancel.queued" | "cancel.not-running") =>
    judgeCancel(promise, [given], CONTEXT).strength?.notTried;

  it("is a job that was queued for long, where none was", () => {
    const given = trial("A", ["queued", "cancelled", "cancelled"]);
    const sentAgo = (ms: number) => ({ ...given, submission: answer(202, at(10 - ms)) });
    const long = "jobs that have been queued for some seconds";
    expect(notTried(sentAgo(400), "cancel.queued")).toEqual([long]);
    expect(notTried(sentAgo(3_000), "cancel.queued")).toEqual([]);
    expect(notTried(given, "cancel.queued")).toEqual([]);
  });

  it("is a job that is about to end, where each ran on for long", () => {
    const states = ["running", "running", "completed"] as const;
    const last = "jobs that are about to end";
    expect(notTried(trial("B", states, {}, 5_000), "cancel.not-running")).toEqual([last]);
    expect(notTried(trial("B", states), "cancel.not-running")).toEqual([]);
  });
});
