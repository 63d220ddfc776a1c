/** What a cancel request does to queued, running and ended jobs, in both variants. Spec §3.2. */

import { describe, expect, it } from "vitest";
import type { CancelTrial } from "../../../../contract/judges/cancel/cancel-trial.ts";
import { judgeCancel } from "../../../../contract/judges/cancel/index.ts";
import { STATE_SPELLINGS } from "../../../../contract/states.ts";
import { answer, at, withJson } from "../answers.ts";
import { COARSE, CONTEXT, ENDED, endedAt, job, TIME, trial, withFile } from "./trials.ts";

describe.each(["A", "B"] as const)("in variant %s", (variant) => {
  it.each([
    ["cancelled and stays so", ["queued", "cancelled", "cancelled"], "kept"],
    ["cancelled after a while", ["queued", "queued", "cancelled"], "kept"],
    ["still queued, runs, completes", ["queued", "queued", "running", "completed"], "broken"],
    ["cancelled and runs then", ["queued", "cancelled", "running", "completed"], "broken"],
    ["queued, runs, is cancelled then", ["queued", "queued", "running", "cancelled"], "broken"],
    ["queued as long as it was watched", ["queued", "queued", "queued"], "inconclusive"],
    ["ran before the request arrived", ["queued", "running", "completed"], "inconclusive"],
    ["over before the request arrived", ["queued", "completed"], "inconclusive"],
    ["ends as failed and tells of no run", ["queued", "queued", "failed"], "broken"],
    ["ends as failed at once and tells of no run", ["queued", "failed"], "broken"],
    ["runs and fails", ["queued", "running", "failed"], "inconclusive"],
  ] as const)("cancel.queued, a job that %s: %#", (_name, states, verdict) => {
    expect(judgeCancel("cancel.queued", [trial(variant, states)], CONTEXT).verdict).toBe(verdict);
  });

  it.each([
    [4_900, "inconclusive"],
    [5_000, "broken"],
  ])("cancel.queued, a job that is still queued after %d ms is %s", (everyMs, verdict) => {
    const waiting = trial(variant, ["queued", "queued", "queued"], {}, everyMs);
    expect(judgeCancel("cancel.queued", [waiting], CONTEXT).verdict).toBe(verdict);
  });

  it.each([
    ["before the request, by its own times", [20], 0, "unobserved"],
    ["while the request is answered, by its own times", [20], 14, "unobserved"],
    [
      "half a second after the request, by its own times",
      [20],
      510,
      variant === "A" ? "unobserved" : "inconclusive",
    ],
    ["three seconds after the request, as is told alone", [20], 3_010, "inconclusive"],
    ["three seconds after the request, as a poll before it shows", [20, 2_600], 3_010, "broken"],
    ["half a second after it, and waits in a later poll still", [20, 2_600], 510, "broken"],
  ] as const)("cancel.queued, a job that starts %s: %#", (_name, waitsAt, startMs, verdict) => {
    const startedAt = new Date(Date.parse(TIME) + startMs).toISOString();
    const endedAt = new Date(Date.parse(TIME) + startMs + 8_000).toISOString();
    const times = { submitted_at: TIME, started_at: startedAt, finished_at: endedAt };
    const end =
      variant === "A" ? { completed_at: endedAt, duration_ms: 8_000 } : { timestamps: times };
    const waiting = waitsAt.map((ms) => withJson(200, job(variant, "queued"), at(ms)));
    const ended = withJson(200, job(variant, "completed", end), at(12_000));
    const after = [...waiting, ended];
    const one = { ...trial(variant, ["queued"]), submission: answer(202, at(0)), after };
    expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
  });

  it.each([
    ["cancelled", 200, "completed", "broken"],
    ["cancelled", 200, "timeout", "broken"],
    ["cancelled", 200, "cancelled", "kept"],
    ["cancelled", 202, "completed", "inconclusive"],
    ["queued", 200, "completed", "inconclusive"],
  ] as const)(
    "cancel.queued, one called %s by a %d that goes on to %s",
    (said, code, end, verdict) => {
      const body = { status: STATE_SPELLINGS[variant][said] };
      const cancel = withJson(code, body, { method: "DELETE", ...at(10) });
      const one = { ...trial(variant, ["queued", end]), cancel };
      expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
    },
  );

  it.each([
    ["at 1 s, which may be when it was accepted", 1_000, "unobserved"],
    ["at 3 s, which is one after that at the least", 3_000, "broken"],
  ] as const)("cancel.queued, one that began in whole seconds %s: %#", (_, startMs, verdict) => {
    const [created, started, ended] = [0, startMs, startMs + 8_000].map((ms) =>
      new Date(Date.parse(TIME) + ms).toISOString().replace(/\.\d+/, ""),
    );
    const end =
      variant === "A"
        ? { created_at: created, completed_at: ended, duration_ms: 8_000 }
        : { timestamps: { submitted_at: created, started_at: started, finished_at: ended } };
    const waiting = [20, 2_600].map((ms) => withJson(200, job(variant, "queued"), at(ms)));
    const after = [...waiting, withJson(200, job(variant, "completed", end), at(14_000))];
    const one = { ...trial(variant, ["queued"]), submission: answer(202, at(0)), after };
    expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
  });

  it.each([
    ["and waits no more by a later poll", [20], "inconclusive"],
    ["and waits in a later poll still", [20, 2_600], "broken"],
  ] as const)(
    "cancel.queued, one seen to run before its own start %s: %#",
    (_, waitsAt, verdict) => {
      const [startedAt, endedAt] = ["2026-01-01T00:00:06.000Z", "2026-01-01T00:00:14.000Z"];
      const times = { submitted_at: TIME, started_at: startedAt, finished_at: endedAt };
      const end =
        variant === "A" ? { completed_at: endedAt, duration_ms: 8_000 } : { timestamps: times };
      const waiting = waitsAt.map((ms) => withJson(200, job(variant, "queued"), at(ms)));
      const running = withJson(200, job(variant, "running"), at(4_000));
      const after = [
        ...waiting,
        running,
        withJson(200, job(variant, "completed", end), at(15_000)),
      ];
      const one = { ...trial(variant, ["queued"]), submission: answer(202, at(0)), after };
      expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
    },
  );

  it.each([
    ["soon after the request, as far as is told", [20], 510, "inconclusive"],
    ["three seconds after it, as is told or seen", [20, 2_600], 3_010, "broken"],
  ] as const)(
    "cancel.queued, one that runs on and began %s: %#",
    (_, waitsAt, startMs, verdict) => {
      const startedAt = new Date(Date.parse(TIME) + startMs).toISOString();
      const told =
        variant === "A" ? {} : { timestamps: { submitted_at: TIME, started_at: startedAt } };
      const waiting = waitsAt.map((ms) => withJson(200, job(variant, "queued"), at(ms)));
      const running = withJson(200, job(variant, "running", told), at(12_000));
      const after = [...waiting, running];
      const one = { ...trial(variant, ["queued"]), submission: answer(202, at(0)), after };
      expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
    },
  );

  it.each([
    ["as long as its start-up may have lasted", [], "kept"],
    ["longer, as it waited in a later poll still", [2_900], "broken"],
  ] as const)("cancel.queued, a cancelled job that states a run %s: %#", (_, waitsAt, verdict) => {
    const times = { started_at: TIME, finished_at: "2026-01-01T00:00:03.030Z" };
    const ran =
      variant === "A" ? { duration_ms: 3_030 } : { timestamps: { submitted_at: TIME, ...times } };
    const waiting = waitsAt.map((ms) => withJson(200, job(variant, "queued"), at(ms)));
    const end = withJson(200, job(variant, "cancelled", ran), at(3_500));
    const one = { ...trial(variant, ["queued"]), after: [...waiting, end] };
    expect(judgeCancel("cancel.queued", [one], CONTEXT).verdict).toBe(verdict);
  });

  it.each([
    ["as long as its life, and no start", 3_400, "kept"],
    ["shorter than its life, and no start", 2_300, variant === "A" ? "broken" : "kept"],
    ["longer than its life, and no start", 5_600, "broken"],
  ] as const)("cancel.queued, a cancelled job that states a duration %s", (_, ms, verdict) => {
    const ran = variant === "A" ? { duration_ms: ms } : { timestamps: { duration_ms: ms } };
    const waiting = withJson(200, job(variant, "queued"), at(3_400));
    const end = withJson(200, job(variant, "cancelled", ran), at(3_500));
    const one = { ...trial(variant, ["queued"]), submission: answer(202, at(0)) };
    const finding = judgeCancel("cancel.queued", [{ ...one, after: [waiting, end] }], CONTEXT);
    expect(finding.verdict).toBe(verdict);
  });

  it("a cancelled job with a result breaks cancel.queued", () => {
    const result =
      variant === "A"
        ? { result: { slept: 8 } }
        : { output: { kind: "object", data: { slept: 8 }, items: [], meta: {} } };
    const finding = judgeCancel(
      "cancel.queued",
      [trial(variant, ["queued", "cancelled"], result)],
      CONTEXT,
    );
    expect(finding.verdict).toBe("broken");
  });

  it("a cancelled job with an empty result keeps cancel.queued", () => {
    const result =
      variant === "A"
        ? { result: {} }
        : { output: { kind: "empty", data: null, items: [], meta: { note: "none" } } };
    const finding = judgeCancel(
      "cancel.queued",
      [trial(variant, ["queued", "cancelled"], result)],
      CONTEXT,
    );
    expect(finding.verdict).toBe("kept");
  });

  it.each([
    ["runs on and completes", ["running", "running", "completed"], "kept"],
    ["is cancelled", ["running", "cancelled"], "broken"],
    ["ended before the request arrived", ["running", "completed"], "inconclusive"],
    ["failed afterwards", ["running", "running", "failed"], "inconclusive"],
  ] as const)("cancel.not-running, a job that %s: %#", (_name, states, verdict) => {
    expect(judgeCancel("cancel.not-running", [trial(variant, states)], CONTEXT).verdict).toBe(
      verdict,
    );
  });

  it("says that a running job's end may not have been seen", () => {
    const open = trial(variant, ["running", "running"]);
    const { reason } = judgeCancel("cancel.not-running", [open], CONTEXT);
    expect(reason).toMatch(/was not seen to its end$/);
  });

  it.each([
    ["three fail", ["failed", "failed", "failed"], 0, "broken"],
    ["three fail, and so do others", ["failed", "failed", "failed"], null, "inconclusive"],
    ["two fail", ["failed", "failed"], 0, "inconclusive"],
    ["one of four runs on", ["failed", "failed", "failed", "running"], 0, "kept"],
    ["three complete at once", ["completed", "completed", "completed"], 60_000, "broken"],
    ["three complete in their time", ["completed", "completed", "completed"], 0, "inconclusive"],
    ["two complete at once", ["completed", "completed"], 60_000, "inconclusive"],
    ["two of four run on", ["completed", "completed", "running", "running"], 60_000, "kept"],
  ] as const)("cancel.not-running, of running jobs %s", (_name, next, othersRanMs, verdict) => {
    const trials = next.map((state) => {
      const end = state === "failed" ? "failed" : "completed";
      const ms = state === "running" ? 60_000 : 300;
      const times = { submitted_at: TIME, duration_ms: ms };
      const ran = variant === "A" ? { duration_ms: ms } : { timestamps: times };
      return trial(variant, ["running", state, end], ran);
    });
    const context = { ...CONTEXT, othersRanMs };
    expect(judgeCancel("cancel.not-running", trials, context).verdict).toBe(verdict);
  });

  it.each([
    ["stays completed", ["completed", "completed", "completed"], "kept"],
    ["becomes cancelled", ["completed", "cancelled"], "broken"],
  ] as const)("cancel.not-terminal, a job that %s: %#", (_name, states, verdict) => {
    expect(judgeCancel("cancel.not-terminal", [trial(variant, states)], CONTEXT).verdict).toBe(
      verdict,
    );
  });

  it("an ended job that becomes cancelled, answered with 202, breaks cancel.not-terminal", () => {
    const { after, ...given } = trial(variant, ["completed", "cancelled"]);
    const told = after.map((each) => ({ ...each, status: 202 }));
    expect(judgeCancel("cancel.not-terminal", [{ ...given, after: told }], CONTEXT).verdict).toBe(
      "broken",
    );
  });

  it.each([
    ["nothing", { cost_credits: 0 }, { total_usd: 0, run_usd: 0, infra_usd: 0 }, "kept"],
    ["a run", { cost_credits: 3 }, { total_usd: 3, run_usd: 2, infra_usd: 1 }, "broken"],
    ["an amount", { cost_credits: 3 }, { total_usd: 3 }, "broken"],
  ])("a cancelled job that costs %s is judged by it", (_, credits, cost, verdict) => {
    const extra = variant === "A" ? credits : { cost };
    const seen = trial(variant, ["queued", "cancelled"], extra);
    expect(judgeCancel("cancel.queued", [seen], CONTEXT).verdict).toBe(verdict);
  });

  it("a cost that changes breaks cancel.not-terminal", () => {
    const cost = variant === "A" ? { cost_credits: 0 } : { cost: { total_usd: 0 } };
    const dear = variant === "A" ? { cost_credits: 3 } : { cost: { total_usd: 3 } };
    const given: CancelTrial = {
      ...trial(variant, ["completed", "completed"], cost),
      before: withJson(200, job(variant, "completed", dear), at(0)),
    };
    expect(judgeCancel("cancel.not-terminal", [given], CONTEXT).verdict).toBe("broken");
  });

  it.each([
    ["says that it ended later", "finishedAt", "broken"],
    ["tells its end to the second only", "coarse", "kept"],
    ["tells an end that it did not tell before", "late", "kept"],
  ] as const)("cancel.not-terminal, an ended job that %s: %#", (_name, which, verdict) => {
    const ends = { finishedAt: ENDED, coarse: ENDED, late: null }[which];
    const then = { finishedAt: "2026-01-01T00:00:09.000Z", coarse: COARSE, late: ENDED }[which];
    const given: CancelTrial = {
      ...trial(variant, ["failed", "failed"], endedAt(variant, then)),
      before: withJson(200, job(variant, "failed", endedAt(variant, ends)), at(0)),
    };
    expect(judgeCancel("cancel.not-terminal", [given], CONTEXT).verdict).toBe(verdict);
  });

  it("names in another order and an address signed anew keep cancel.not-terminal", () => {
    const output = (data: object) =>
      variant === "A"
        ? { result: data }
        : { output: { kind: "object", data, items: [], meta: {} } };
    const given: CancelTrial = {
      ...trial(variant, ["completed", "completed"], output({ n: 1, url: "https://a.test/f?s=2" })),
      before: withJson(
        200,
        job(variant, "completed", output({ url: "https://a.test/f?s=1", n: 1 })),
      ),
    };
    expect(judgeCancel("cancel.not-terminal", [given], CONTEXT).verdict).toBe("kept");
  });

  it("a completed job that is gone afterwards breaks cancel.not-terminal", () => {
    const given = { ...trial(variant, ["completed"]), after: [answer(404), answer(404)] };
    expect(judgeCancel("cancel.not-terminal", [given], CONTEXT).verdict).toBe("broken");
  });
});

it.each([
  ["has no files any more", { files: [] }, "broken"],
  ["has them at another address", withFile("https://a.test/f?s=2"), "kept"],
])("cancel.not-terminal, a completed job that %s: %#", (_name, files, verdict) => {
  const given: CancelTrial = {
    ...trial("B", ["completed", "completed"], files),
    before: withJson(200, job("B", "completed", withFile("https://a.test/f?s=1")), at(0)),
  };
  expect(judgeCancel("cancel.not-terminal", [given], CONTEXT).verdict).toBe(verdict);
});
