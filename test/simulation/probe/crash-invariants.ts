/** What must hold of a probe that crashed and came back, on a healthy service. */

import type { Outcome } from "../../../probe/outcome.ts";
import { servedWell } from "../../../probe/outcome.ts";
import type { LivesHistory } from "../../../simulation/simulated-lives.ts";
import type { Surroundings } from "../../../simulation/worlds.ts";
import { samplesOf } from "./samples.ts";

/** Counters of the last life that say something of the service, which is healthy. */
const BLAMING = [
  /^plumbline_promise_violations_total/,
  /^plumbline_http_rate_limited_total/,
  /^plumbline_webhook_deliveries_total\{outcome="(missing|repeated|unsigned)"/,
];
const GOOD = /^plumbline_sli_events_total\{slo="canary-success",result="good"/;
const IN_FLIGHT = /^plumbline_jobs_in_flight\{/;
/** Ours: of a history, where the path itself loses some. */
const LOST_RUNS_MAX = 3;
/** Ours: a main path is due once a minute; what it can't begin says so. */
const TOLD_WITHIN_MS = 90_000;

export function crashProblems(
  history: LivesHistory,
  { errorShareMax }: Pick<Surroundings, "errorShareMax">,
  ceilingJobs: number | null,
): readonly string[] {
  return [
    ...blamed(history, errorShareMax > 0 ? LOST_RUNS_MAX : 0),
    ...lostOrTwice(history),
    ...unfounded(history),
    ...silent(history),
    ...beyondBudget(history, ceilingJobs),
  ];
}

/** Whatever happened to the probe, the service kept its promises. */
function blamed({ log, lastMetrics, runs }: LivesHistory, lostMax: number): string[] {
  const bad = runs.filter(({ outcome }) => servedWell(outcome as Outcome) === "bad");
  const counts = [...BLAMING, IN_FLIGHT].flatMap((name) => samplesOf(lastMetrics, name));
  return [
    ...log.filter(({ event }) => event === "violation").map(({ msg }) => `violation: ${msg}`),
    ...counts.filter(({ value }) => value !== 0).map((each) => `${each.series} is ${each.value}`),
    ...log
      .filter(({ event, what }) => event === "journal-failed" && what === "read")
      .map(({ msg }) => `no verdict could be drawn up: ${msg}`),
    ...(bad.length > lostMax ? bad.map((run) => `run ${run.runId} is ${run.outcome}`) : []),
  ];
}

/**
 * Each accepted job is that of the one run whose mark its submission carried, and each run comes to
 * a verdict, which is told once.
 */
function lostOrTwice({ runs, marks, submitted, accepted, log, full }: LivesHistory): string[] {
  const open = runs.filter(({ phase, settledAtMs }) => phase !== "settled" || settledAtMs === null);
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const owners = Map.groupBy(
    runs.filter(({ jobId }) => jobId !== null),
    ({ jobId }) => jobId,
  );
  const known = new Set(accepted);
  const names = marks.map(({ runId, text }) => [runId, namesIn(text)] as const);
  const strays = [...submitted].flatMap(([jobId, body]) => {
    const marked = names.find(([, own]) => own.some((name) => body.includes(name)));
    if (marked === undefined) return [];
    const run = byId.get(marked[0]);
    const isIts = run?.jobs === 1 && (run.jobId ?? jobId) === jobId;
    return isIts ? [] : [`job ${jobId} is of run ${marked[0]}, which has ${run?.jobId ?? "none"}`];
  });
  const without = runs.filter(({ jobId, jobs }) => jobId === null && jobs > 0).length;
  const orphans = accepted.filter((jobId) => !owners.has(jobId));
  const told = Map.groupBy(
    log.filter(({ event }) => event === "run-settled"),
    ({ runId }) => runId,
  );
  // What a full disk did not take is settled once more after a crash.
  const again = full.length > 0 ? [] : [...told].filter(([, lines]) => lines.length > 1);
  return [
    ...open.map(({ runId }) => `run ${runId} has no verdict`),
    ...strays,
    ...[...owners].filter(([, own]) => own.length > 1).map(([id]) => `job ${id} is of two runs`),
    ...[...owners.keys()]
      .filter((jobId) => jobId === null || !known.has(jobId))
      .map((jobId) => `job ${jobId} was never accepted`),
    ...(orphans.length > without ? [`${orphans.length} jobs are lost, of ${without} runs`] : []),
    ...again.map(([runId, lines]) => `run ${runId} was told ${lines.length} times`),
  ];
}

/** The run's own texts, in what was written before its job was submitted. */
function namesIn(intent: string): readonly string[] {
  const { token, mark } = JSON.parse(intent) as { token: string | null; mark: string | null };
  return [token, mark].filter((name) => name !== null);
}

/** Never success without an answer that showed the job's end, nor a good event without success. */
function unfounded({ runs, ended, log, lastMetrics, lastStartedAtMs }: LivesHistory): string[] {
  const successes = runs.filter(({ outcome }) => outcome === "success");
  const good = samplesOf(lastMetrics, GOOD).reduce((sum, { value }) => sum + value, 0);
  const told = log.filter(
    ({ event, outcome, atMs }) =>
      event === "run-settled" && outcome === "success" && atMs >= lastStartedAtMs,
  ).length;
  return [
    ...successes
      .filter(({ jobId }) => jobId === null || !ended.has(jobId))
      .map(({ runId }) => `run ${runId} is a success that nobody has seen`),
    ...(good !== told ? [`${good} good events of ${told} successes`] : []),
  ];
}

/** A disk that takes nothing is told of, and begins no run. */
function silent({ full, log }: LivesHistory): string[] {
  return full
    .filter(([fromMs, toMs]) => toMs - fromMs > TOLD_WITHIN_MS)
    .filter(([fromMs, toMs]) => {
      const during = log.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
      return !during.some(({ event }) => event === "journal-failed");
    })
    .map(([fromMs, toMs]) => `the disk was full for ${toMs - fromMs} ms, and nothing was said`);
}

function beyondBudget(history: LivesHistory, ceilingJobs: number | null): string[] {
  const { accepted, charged, isSpendingKnown } = history;
  const ceiling = ceilingJobs ?? Number.POSITIVE_INFINITY;
  return [
    ...(accepted.length > ceiling ? [`${accepted.length} jobs; the budget is ${ceiling}`] : []),
    ...(charged < accepted.length ? [`${charged} jobs count of ${accepted.length}`] : []),
    ...(isSpendingKnown ? [] : ["what was spent is not known, with both files undamaged"]),
  ];
}
