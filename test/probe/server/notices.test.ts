/** News of runs that are not the last any more: they stand on the page for ten minutes. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import type { Canary } from "../../../probe/canary/canary.ts";
import type { ProbeEvent, RunFacts } from "../../../probe/events.ts";
import { StatusBoard } from "../../../probe/server/status-board.ts";
import { pageState } from "../../../probe/server/status-page.ts";
import type { StatusView } from "../../../probe/server/view.ts";
import { canary, open } from "../open-probe.ts";

const MINUTE_MS = 60_000;
const LINKS = { runbook: null, dashboard: null };
const START_MS = 1_700_000_000_000;

function canaryOf(name: string, everyMs: number): Canary {
  const worker = { part: "success", workerId: "echo", input: {}, marker: null } as const;
  const times = { everyMs, jitterShare: 0, deadlineMs: 60_000 };
  return { name, ...worker, ...times, webhook: true, expected: "completed", overlapMax: 3 };
}

const factsOf = (canary: string, at: number): RunFacts => {
  return { runId: `${canary}-${at}`, canary, workerId: "echo", jobId: `job_${at}` };
};

/** A board whose canaries end a run at each of their intervals. */
function openBoard(everyMs: number, names = ["main"]) {
  let nowMs = START_MS;
  let ended = 0;
  let dueMs = nowMs + everyMs;
  const facts = { startedAtMs: nowMs, location: "here", baseUrl: "http://service", version: "0" };
  const board = new StatusBoard(facts, () => nowMs);
  board.show(
    names.map((name) => canaryOf(name, everyMs)),
    LINKS,
  );
  const succeed = (run: RunFacts) => {
    const settled = { outcome: "success", why: "ended completed", end: "completed" } as const;
    const times = { submittedAtMs: nowMs, settledAtMs: nowMs, duration: null, timed: true };
    const rest = { seen: [], stays: [], cost: { credits: 0, usd: 0 } };
    board.apply({ type: "run-settled", run, settled: { ...settled, ...times, ...rest } });
  };
  return {
    apply: (event: ProbeEvent) => board.apply(event),
    /** Time in which every run that ends is a success. */
    pass(ms: number) {
      const untilMs = nowMs + ms;
      for (; dueMs <= untilMs; dueMs += everyMs) {
        nowMs = dueMs;
        for (const name of names) succeed(factsOf(name, ended));
        ended += 1;
      }
      nowMs = untilMs;
    },
    view: () => board.view(nowMs),
    page: () => pageState(board.view(nowMs)).html,
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
  ["a minute apart", MINUTE_MS, 35_000],
  ["a minute apart, late news", MINUTE_MS, 350_000],
  ["5 s apart, of a run that left the list", 5_000, 350_000],
  ["an hour apart", 60 * MINUTE_MS, 350_000],
])("a violation stands for ten minutes where runs are %s", (_, everyMs, lateMs) => {
  const { apply, pass, view, page } = openBoard(everyMs);
  pass(everyMs);
  pass(lateMs);
  apply(violation(factsOf("main", 0), "webhook.once", "came twice"));
  const text = "main saw a broken promise: webhook.once: came twice";
  expect(view().troubles).toEqual([`${text} (0 s ago, job_0)`]);
  pass(9 * MINUTE_MS);
  expect(view().troubles).toEqual([`${text} (9 min ago, job_0)`]);
  expect(page()).toContain(text);
  expect(page()).not.toContain("well.");
});

it("it is over after ten minutes, and the page is green again", () => {
  const { apply, pass, view, page } = openBoard(5_000);
  pass(5 * MINUTE_MS);
  apply(violation(factsOf("main", 0), "webhook.signed"));
  apply(missing(factsOf("main", 1)));
  pass(10 * MINUTE_MS - 1);
  expect(view().troubles).toHaveLength(2);
  pass(1);
  expect(view().troubles).toEqual([]);
  expect(page()).toContain("The canary is well.");
});

it("a missing webhook of an earlier run stands beside violations of several kinds", () => {
  const { apply, pass, view } = openBoard(5_000, ["main", "other"]);
  pass(5 * MINUTE_MS);
  apply(missing(factsOf("main", 1)));
  apply(missing(factsOf("other", 2)));
  apply(violation(factsOf("main", 3), "webhook.signed", "no signature"));
  apply(violation(factsOf("main", 3), "webhook.truthful", "another status"));
  pass(MINUTE_MS);
  expect(view().troubles).toEqual([
    "main got no webhook for its job (60 s ago, job_1)",
    "other got no webhook for its job (60 s ago, job_2)",
    "main saw a broken promise: webhook.signed: no signature (60 s ago, job_3)",
    "main saw a broken promise: webhook.truthful: another status (60 s ago, job_3)",
  ]);
});

it("what the last run saw is told once, and stays after ten minutes until the next run", () => {
  const { apply, pass, view } = openBoard(60 * MINUTE_MS);
  pass(60 * MINUTE_MS);
  apply(violation(factsOf("main", 0), "job.cost", "off"));
  const text = "main saw a broken promise: job.cost: off";
  expect(view().troubles).toEqual([`${text} (0 s ago, job_0)`]);
  pass(20 * MINUTE_MS);
  expect(view().troubles).toEqual([text]);
  pass(40 * MINUTE_MS);
  expect(view().troubles).toEqual([]);
});

it("a violation is told while its run is still under way", () => {
  const { apply, view } = openBoard(MINUTE_MS);
  const run = factsOf("main", 0);
  apply({ type: "run-started", run, atMs: START_MS });
  apply(violation(run, "job.same-id", "another"));
  const text = "main saw a broken promise: job.same-id: another (0 s ago, job_0)";
  expect(view().troubles).toEqual([text]);
});

it("a kind that comes without end is one line, and hides no other", () => {
  const { apply, pass, view } = openBoard(5_000);
  pass(5 * MINUTE_MS);
  apply(missing(factsOf("main", 0)));
  for (let at = 0; at < 10_000; at += 1) {
    apply(violation(factsOf("main", at), "webhook.truthful", `told of job_${at}`));
  }
  expect(view().troubles).toEqual([
    "main got no webhook for its job (0 s ago, job_0)",
    "main saw a broken promise: webhook.truthful: told of job_9999 " +
      "(10000 times, last 0 s ago, job_9999)",
  ]);
});

it("of kinds without end the newest are kept", () => {
  const { apply, view } = openBoard(MINUTE_MS);
  for (let at = 0; at < 100; at += 1) {
    for (const promise of PROMISE_IDS) apply(violation(factsOf(`gone-${at}`, at), promise));
  }
  expect(view().troubles).toHaveLength(200);
  expect(view().troubles.at(-1)).toContain(`gone-99 saw a broken promise: ${PROMISE_IDS.at(-1)}`);
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
  const told = async () => (await shown()).troubles.join("; ");
  await expect.poll(told, { timeout: 20_000 }).toContain("success saw a broken promise: webhook.");
  service.faults.disable("webhook.signed/missing");
  expect((await probe.once()).get("success")).toMatchObject({ outcome: "success" });
  const { canaries: rows, troubles } = await shown();
  expect(rows[0]?.runs.at(-1)).toMatchObject({ outcome: "success", violations: [] });
  expect(troubles.join("; ")).toContain("success saw a broken promise: webhook.signed");
  expect(await (await fetch(probe.address)).text()).not.toContain("well.");
});
