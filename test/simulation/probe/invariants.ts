/** What must hold of any history of a probe on a healthy service, whatever its surroundings. */

import { startOf } from "../../../probe/journal/budget.ts";
import type { ProbeHistory, RunRow } from "../../../simulation/simulated-probe.ts";
import type { Surroundings } from "../../../simulation/worlds.ts";
import { samplesOf } from "./samples.ts";

/** Counters of which any count alerts somebody, or is held against the service. */
const ALERTING = [
  /^plumbline_promise_violations_total/,
  /^plumbline_canary_skipped_total/,
  /^plumbline_journal_failures_total/,
  /^plumbline_http_rate_limited_total/,
  /^plumbline_webhook_deliveries_total\{outcome="(missing|repeated|unsigned|unknown_token)"/,
  /^plumbline_clock_wall_steps_total/,
  /^plumbline_machine_sleep_seconds_total/,
];
const BAD = /^plumbline_sli_events_total\{.*result="bad"/;
const EVENTS = /^plumbline_sli_events_total/;
const IN_FLIGHT = /^plumbline_jobs_in_flight\{/;

/** Ours: the deadline of a canary that names none. */
const DEADLINE_MS = 120_000;
/** Ours: a verdict takes a search of the list of jobs, and the wait for a busy machine. */
const VERDICT_MS = 10_000;
/** Ours: three of the runs of an hour, where the path itself loses some. */
const LOST_RUNS_MAX = 3;

export function problemsOf(
  history: ProbeHistory,
  { errorShareMax }: Pick<Surroundings, "errorShareMax">,
  jobsADayMax: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  return [
    ...alertProblems(history),
    ...levelProblems(history, errorShareMax),
    ...history.runs.flatMap(runProblems),
    ...jobProblems(history),
    ...budgetProblems(history, jobsADayMax),
  ];
}

function alertProblems({ lastMetrics, log }: ProbeHistory): string[] {
  const counts = ALERTING.flatMap((name) => samplesOf(lastMetrics, name));
  const flying = samplesOf(lastMetrics, IN_FLIGHT);
  return [...counts, ...flying]
    .filter(({ value }) => value !== 0)
    .map(({ series, value }) => `${series} is ${value}`)
    .concat(log.filter(({ event }) => event === "violation").map(({ msg }) => msg));
}

/** A client can't tell resets on the way from others: they may count as the service's. */
function levelProblems({ lastMetrics }: ProbeHistory, errorShareMax: number): string[] {
  const sum = (name: RegExp) =>
    samplesOf(lastMetrics, name).reduce((all, { value }) => all + value, 0);
  const [bad, all] = [sum(BAD), sum(EVENTS)];
  const most = errorShareMax === 0 ? 0 : Math.max(LOST_RUNS_MAX, all * errorShareMax);
  const none = all === 0 ? ["nothing was counted for a service level"] : [];
  return bad <= most ? none : [...none, `${bad} of ${all} events are bad`];
}

function runProblems({ runId, phase, outcome, intendedAtMs, settledAtMs }: RunRow): string[] {
  if (phase !== "settled" || settledAtMs === null) return [`run ${runId} has no verdict`];
  const lateMs = settledAtMs - intendedAtMs - DEADLINE_MS - VERDICT_MS;
  const late = lateMs > 0 ? [`run ${runId} (${outcome}) was settled ${lateMs} ms too late`] : [];
  return late;
}

/** Every job that the service accepted is that of one run, and no run has another one. */
function jobProblems({ runs, accepted }: ProbeHistory): string[] {
  const owners = Map.groupBy(
    runs.filter(({ jobId }) => jobId !== null),
    ({ jobId }) => jobId,
  );
  const known = new Set(accepted);
  return [
    ...accepted
      .filter((jobId) => owners.get(jobId)?.length !== 1)
      .map((jobId) => `job ${jobId} belongs to ${owners.get(jobId)?.length ?? 0} runs`),
    ...[...owners.keys()]
      .filter((jobId) => jobId === null || !known.has(jobId))
      .map((jobId) => `job ${jobId} was never accepted`),
  ];
}

function budgetProblems({ runs }: ProbeHistory, jobsADayMax: number): string[] {
  const days = Map.groupBy(runs, ({ intendedAtMs }) => startOf("day", intendedAtMs));
  return [...days.values()]
    .map((those) => those.reduce((sum, { jobs }) => sum + jobs, 0))
    .filter((jobs) => jobs > jobsADayMax)
    .map((jobs) => `${jobs} jobs in a day; the budget is ${jobsADayMax}`);
}
