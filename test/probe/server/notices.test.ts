/** News of runs that are not the last any more: they are on the page for ten minutes. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import type { ProbeEvent, RunFacts } from "../../../probe/events.ts";
import { pageState } from "../../../probe/server/status-page.ts";
import type { StatusView } from "../../../probe/server/view.ts";
import { canary, open } from "../open-probe.ts";
import { boardOf, runOf, START_MS, settledEvent, show } from "./boards.ts";

const MINUTE_MS = 60_000;
/** A board whose canaries end a run at each of their intervals. */
function openBoard(everyMs: number, names = ["main"]) {
  let nowMs = START_MS;
  let ended = 0;
  let dueMs = nowMs + everyMs;
  const board = boardOf(nowMs, () => nowMs);
  show(board, names, everyMs);
  return {
    apply: (event: ProbeEvent) => board.apply(event),
    /** Time in which every run that ends is a success. */
    pass(ms: number) {
      const untilMs = nowMs + ms;
      for (; dueMs <= untilMs; dueMs += everyMs) {
        nowMs = dueMs;
        for (const name of names) board.apply(settledEvent(runOf(name, ended), nowMs));
        ended += 1;
      }
      nowMs = untilMs;
    },
    view: () => board.view(nowMs, null),
    page: () => pageState(board.view(nowMs, null)).html,
  };
}

function violation(run: RunFacts, promise: PromiseId, summary = "seen"): ProbeEvent {
  return { type: "violation", run, promise, summary, atMs: START_MS };
}

const missing = (run: RunFacts): ProbeEvent => {
  return { type: "delivery", run, outcome: "missing", delay: null };
};

/** Between the end of a run and its news: a webhook told twice, one that never came. */
it.each([
  ["a minute apart", MINUTE_MS, 35_000, "over"],
  ["a minute apart, late news", MINUTE_MS, 350_000, "over"],
  ["5 s apart, of a run that left the list", 5_000, 350_000, "problems"],
  ["an hour apart", 60 * MINUTE_MS, 350_000, "problems"],
] as const)(
  "a violation is shown for ten minutes where runs are %s",
  (_, everyMs, lateMs, where) => {
    const { apply, pass, view, page } = openBoard(everyMs);
    pass(everyMs);
    pass(lateMs);
    apply(violation(runOf("main", 0), "webhook.once", "came twice"));
    const problem = {
      cause: "webhook.once",
      title: "Broken promise webhook.once: A delivery answered 200 is not sent again",
      canaries: ["main"],
      sinceMs: START_MS + everyMs + lateMs,
      details: ["came twice"],
      jobIds: ["job_0"],
      runbook: "PlumblinePromiseBroken",
    };
    expect(view().problems).toMatchObject([problem]);
    pass(9 * MINUTE_MS);
    const { problems, over } = view();
    expect({ problems, over }).toMatchObject({ problems: [], over: [], [where]: [problem] });
    expect(page()).toContain(problem.title);
    expect(page()).toContain(where === "over" ? "<h2>Over" : "(9 min)");
    expect(page().includes("passes.")).toBe(where === "over");
  },
);

it("a violation is over when a later run went well that had as long to show it", () => {
  const { apply, pass, view, page } = openBoard(MINUTE_MS);
  pass(MINUTE_MS);
  pass(90_000);
  apply(violation(runOf("main", 0), "webhook.once"));
  const found = () => [view().problems, view().over].map((each) => each.map(({ times }) => times));
  pass(30_000);
  expect(found()).toEqual([[1], []]);
  pass(90_000 - 1);
  expect(found()).toEqual([[1], []]);
  pass(1);
  expect(found()).toEqual([[], [1]]);
  expect(view().over[0]?.summary).toContain("seen; over, last seen 2 min ago; job_0");
  apply(violation(runOf("main", 3), "webhook.once"));
  expect(found()).toEqual([[2], []]);
  // Good runs between say nothing of the next one: it stands, until it is old.
  pass(9 * MINUTE_MS);
  expect(found()).toEqual([[2], []]);
  expect(page()).toContain("since 22:15:50 UTC (11 min) · 2 times, last 9 min ago");
  pass(MINUTE_MS);
  expect(found()).toEqual([[], []]);
});

const slow: ProbeEvent = { type: "answer-fault", what: "slow", why: "2.1 s", atMs: START_MS };
const slept: ProbeEvent = { type: "disturbance", sleptMs: 60_000, steppedMs: 0 };
const unread: ProbeEvent = { type: "journal-failed", what: "read", why: "EIO" };
const DAY_MS = 24 * 60 * MINUTE_MS;
const certificate = (
  leftDays: number,
  days: number,
  of: "service" | "receiver" = "service",
): ProbeEvent => {
  const untilMs = START_MS + leftDays * DAY_MS;
  return { type: "certificate", of, validity: { fromMs: untilMs - days * DAY_MS, untilMs } };
};

it("a certificate that should have been renewed is a problem, with its time, and no other", () => {
  const { apply, view } = openBoard(MINUTE_MS);
  for (const [leftDays, days] of [
    [15, 90],
    [1.3, 6],
    [80, 365],
  ] as const) {
    apply(certificate(leftDays, days));
  }
  expect(view().problems).toEqual([]);
  apply(certificate(13, 365));
  apply(certificate(1.1, 6));
  const details = ["at 2023-11-16T00:37:20.000Z", "at 2023-11-27T22:13:20.000Z"];
  expect(view().problems).toMatchObject([{ cause: "certificate", details }]);
  apply(certificate(15, 90, "receiver"));
  expect(view().problems).toHaveLength(1);
  apply(certificate(13, 90, "receiver"));
  expect(view().problems[1]).toMatchObject({ cause: "receiver-certificate", times: 1 });
});

it.each([
  ["a certificate that expires", certificate(5, 90), "problems"],
  ["slow answers", slow, "over"],
  ["a machine that slept", slept, "over"],
  ["a journal that could not be read", unread, "problems"],
] as const)("what is of no run, after a run that went well: %s", (_, event, where) => {
  const { apply, pass, view } = openBoard(MINUTE_MS);
  pass(90_000);
  apply(event);
  expect(view()).toMatchObject({ problems: [{ times: 1 }], over: [] });
  pass(MINUTE_MS);
  expect(view()).toMatchObject({ problems: [], over: [], [where]: [{ times: 1 }] });
});

it("it is over after ten minutes, and the page is green again", () => {
  const { apply, pass, view, page } = openBoard(5_000);
  pass(5 * MINUTE_MS);
  apply(violation(runOf("main", 0), "webhook.signed"));
  apply(missing(runOf("main", 1)));
  pass(10 * MINUTE_MS - 1);
  expect(view().problems).toHaveLength(2);
  pass(1);
  expect(view().problems).toEqual([]);
  expect(page()).toContain("The canary passes.");
});

it("a missing webhook is told with how long none has come, where none of any job does", () => {
  const { apply, pass, view } = openBoard(MINUTE_MS);
  const came: ProbeEvent = {
    type: "delivery",
    run: runOf("main", 0),
    outcome: "first",
    delay: null,
  };
  apply(came);
  pass(4 * MINUTE_MS);
  apply(missing(runOf("main", 1)));
  expect(view().problems).toMatchObject([{ cause: "webhook.missing", details: [] }]);
  pass(MINUTE_MS);
  const none = "none has come for 5 min, since 22:13:20 UTC";
  const why = `${none}: the receiver may be out of the service's reach`;
  expect(view().problems).toMatchObject([{ cause: "webhook.missing", details: [why] }]);
  apply({ type: "receiver", listening: true, why: null, byItself: true });
  const open = `${none}, though the probe itself reaches its receiver`;
  expect(view().problems).toMatchObject([{ cause: "webhook.missing", details: [open] }]);
  apply(came);
  expect(view().problems).toMatchObject([{ cause: "webhook.missing", details: [] }]);
});

it("a missing webhook of an earlier run stands beside violations of several kinds", () => {
  const { apply, pass, view } = openBoard(5_000, ["main", "other"]);
  pass(5 * MINUTE_MS);
  apply(missing(runOf("main", 1)));
  apply(missing(runOf("other", 2)));
  apply(violation(runOf("main", 3), "webhook.signed", "no signature (job_3, attempt 1)"));
  apply(violation(runOf("main", 3), "webhook.truthful", "another status"));
  pass(MINUTE_MS);
  const once = { canaries: ["main"], times: 1, jobIds: ["job_3"] };
  expect(view().problems).toMatchObject([
    { cause: "webhook.missing", canaries: ["main", "other"], times: 2, jobIds: ["job_1", "job_2"] },
    { cause: "webhook.signed", details: ["no signature (attempt 1)"], ...once },
    { cause: "webhook.truthful", details: ["another status"], ...once },
  ]);
  expect(view().problems[0]?.summary).toBe(
    "Webhooks are missing (main, other): none has come since the probe started: " +
      "the receiver may be out of the service's reach; for 60 s, 2 times; job_1, job_2",
  );
});

it("what the last run saw stays after ten minutes, until the next run", () => {
  const { apply, pass, view } = openBoard(60 * MINUTE_MS);
  pass(60 * MINUTE_MS);
  apply(violation(runOf("main", 0), "job.cost", "off"));
  const problem = { cause: "job.cost", details: ["off"], times: 1, jobIds: ["job_0"] };
  expect(view().problems).toMatchObject([problem]);
  pass(20 * MINUTE_MS);
  apply(missing(runOf("other", 0)));
  expect(view().problems).toMatchObject([problem, { cause: "webhook.missing" }]);
  pass(40 * MINUTE_MS);
  expect(view().problems).toEqual([]);
});

it("a violation is told while its run is still under way", () => {
  const { apply, view } = openBoard(MINUTE_MS);
  const run = runOf("main", 0);
  apply({ type: "run-started", run, atMs: START_MS });
  apply(violation(run, "job.same-id", "another"));
  expect(view().problems).toMatchObject([
    { cause: "job.same-id", details: ["another"], canaries: ["main"], jobIds: ["job_0"] },
  ]);
});

it("what was seen does not repeat the job that is listed beside it", () => {
  const { apply, view } = openBoard(5_000);
  apply(violation(runOf("main", 1), "job.own-result", 'the result of job job_1 holds "b"'));
  const seen = { details: ['the result holds "b"'], jobIds: ["job_1"] };
  expect(view().problems).toMatchObject([seen]);
});

it("a kind that comes without end is one problem, and hides no other", () => {
  const { apply, pass, view } = openBoard(5_000);
  pass(5 * MINUTE_MS);
  apply(missing(runOf("main", 0)));
  for (let at = 0; at < 10_000; at += 1) {
    apply(violation(runOf("main", at), "webhook.truthful", `told of job_${at}`));
  }
  expect(view().problems).toMatchObject([
    { cause: "webhook.missing", times: 1, jobIds: ["job_0"] },
    {
      cause: "webhook.truthful",
      times: 10_000,
      details: ["told of job_9999", "told of job_9998", "told of job_9997"],
      jobIds: ["job_9999", "job_9998", "job_9997"],
    },
  ]);
});

it("of kinds without end the newest are kept", () => {
  const { apply, view } = openBoard(MINUTE_MS);
  for (let at = 0; at < 100; at += 1) {
    for (const promise of PROMISE_IDS) apply(violation(runOf(`gone-${at}`, at), promise));
  }
  const { problems } = view();
  expect(problems.reduce((sum, { times }) => sum + times, 0)).toBe(200);
  const last = problems.find(({ cause }) => cause === PROMISE_IDS.at(-1));
  expect(last?.canaries.at(-1)).toBe("gone-99");
});

it("a probe tells of a forged webhook beside newer runs that are well", async () => {
  const canaries = [canary("success", { webhook: true, deadlineMs: 10_000 })];
  const { probe, service } = await open({ canaries });
  service.faults.enable("webhook.signed/missing");
  await probe.once();
  const shown = async () => {
    const text = await (await fetch(`${probe.address}/api/canaries`)).text();
    return JSON.parse(text) as StatusView;
  };
  const told = async () => {
    const { problems, over } = await shown();
    return [...problems, ...over].map(({ cause }) => cause);
  };
  await expect.poll(told, { timeout: 20_000 }).toContain("webhook.signed");
  service.faults.disable("webhook.signed/missing");
  expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
  const { canaries: rows } = await shown();
  expect(rows[0]?.runs.at(-1)).toMatchObject({ outcome: "success", violations: [] });
  expect(await told()).toContain("webhook.signed");
  expect(await (await fetch(probe.address)).text()).toContain("webhook.signed");
});
