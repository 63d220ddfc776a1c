/** Sends requests to a read endpoint at one rate, by k6's arrival-rate executor. */

import exec from "k6/execution";
import http from "k6/http";
import { Counter, Gauge, Rate, Trend } from "k6/metrics";
import type { Options } from "k6/options";
import { forgottenWithinMs, keyRate } from "../../contract/limits/capacity-rates.ts";
import { rounded } from "../../contract/numbers/figures.ts";
import { API_KEY_HEADER, ROUTES } from "../../contract/requests/routes.ts";
import type {
  CapacityOrder,
  StepMeasurement,
  TimeQuantiles,
} from "../../contract/run/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../../contract/run/capacity-step.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";
import { askWith, spendBurst, spendingMsMax } from "../client/burst.ts";
import { keyValue, planKey } from "../client/plan.ts";
import { takeInTurn } from "../load/offered/mix.ts";
import { emit, k6World } from "./k6.ts";
import { CLIENT_OPTIONS } from "./k6-options.ts";
import type { K6Test } from "./k6-scenario.ts";
import type { SummaryData } from "./k6-summary.ts";

const times = new Trend("plumbline_answer", true);
const failed = new Rate("plumbline_failed");
const sent = new Counter("plumbline_sent");
const refusedOtherwise = new Counter("plumbline_4xx");
const measuredSent = new Counter("plumbline_measured_sent");
const measuredRefused = new Counter("plumbline_measured_429");
const measuredAnswered = new Counter("plumbline_measured_answered");
/** How long it took to spend the bursts: k6 counts it among the run. */
const spending = new Gauge("plumbline_spending", true);

/** Rates are whole numbers in k6; so many seconds of one make tenths exact. */
const UNIT_SECONDS = 10;
/** Ours: users that wait for an answer at once; beyond it a generator measures itself alone. */
const USERS_MAX = 500;
const USERS_MIN = 10;
/** Ours: no answer of the interface takes this long. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Ours: harm shows within a second or two, and not in the first few requests. */
const HARM_AFTER_MS = 2_000;
/** Ours: the first third of a step opens connections, and is not measured. */
const WARM_UP_SHARE = 1 / 3;

/** As of the scenario of jobs: whoever reads the records tells them apart by the step. */
const SCENARIO = "capacity";

/**
 * Of requests many virtual users know a part each; only in the summary all their figures meet. The
 * records are written here, as a reporter knows all judges. `Date.now`: k6's own clock is not there
 * in a summary.
 */
export function k6Requests(plan: RunPlan, order: CapacityOrder): Required<K6Test> {
  const shares = keyShares(plan, order);
  const turns = turnsOf(shares);
  return {
    options: requestOptions(plan, order),
    setup: async () => {
      emit({ type: "registered", scenario: SCENARIO, promises: [], atMs: Date.now() });
      if (order.beyondPlan) await spendBursts(plan, shares);
    },
    run: async () => requestOnce(plan, order, turns),
    handleSummary(data) {
      const value = measurementOfRequests(order, data) as unknown as Json;
      emit({ type: "measurement", scenario: SCENARIO, group: CAPACITY_MEASUREMENT, value });
      emit({ type: "ended", scenario: SCENARIO, atMs: Date.now() });
      return { stdout: "" };
    },
  };
}

interface KeyShare {
  name: string;
  perSecond: number;
}

/** By what the plans of the keys sustain. */
function keyShares(plan: RunPlan, { ratePerSecond }: CapacityOrder): KeyShare[] {
  const keys = plan.roles.loaded.map((name) => planKey(plan, name));
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  return keys.map((key) => ({
    name: key.name,
    perSecond: (ratePerSecond * keyRate(key)) / total,
  }));
}

/** Ours: by so many turns the shares of any two plans are met within a per cent or two. */
const TURNS = 500;

/** Keys in turn: a request knows its number, and no virtual user what the others have sent. */
function turnsOf(shares: readonly KeyShare[]): readonly string[] {
  const next = takeInTurn(shares, ({ perSecond }) => perSecond);
  return Array.from({ length: TURNS }, next).flatMap((share) => share?.name ?? []);
}

async function spendBursts(plan: RunPlan, shares: readonly KeyShare[]): Promise<void> {
  const windowMs = forgottenWithinMs(plan.keys);
  const fromMs = k6World.now();
  // The executor starts as soon as this ends.
  const start = { atMs: 0 };
  await Promise.all(
    shares.map(({ name, perSecond }) => {
      return spendBurst(k6World, askWith(k6World, plan, name), { perSecond, windowMs, start });
    }),
  );
  spending.add(k6World.now() - fromMs);
}

function requestOptions(plan: RunPlan, order: CapacityOrder): Options {
  const { ratePerSecond, durationMs, latencyCeilingMs, harmShare, beyondPlan } = order;
  const spendingMs = beyondPlan ? forgottenWithinMs(plan.keys) : 0;
  const ceilingSeconds = (latencyCeilingMs ?? 1_000) / 1_000;
  const users = Math.ceil(ratePerSecond * ceilingSeconds * 2);
  const maxVUs = Math.min(USERS_MAX, Math.max(USERS_MIN, users));
  const stop = (threshold: string) => ({
    threshold,
    abortOnFail: true,
    delayAbortEval: `${HARM_AFTER_MS + spendingMs}ms`,
  });
  return {
    ...CLIENT_OPTIONS,
    scenarios: {
      main: {
        executor: "constant-arrival-rate",
        rate: Math.max(1, Math.round(ratePerSecond * UNIT_SECONDS)),
        timeUnit: `${UNIT_SECONDS}s`,
        duration: `${Math.round(durationMs)}ms`,
        preAllocatedVUs: maxVUs,
        maxVUs,
        gracefulStop: "2s",
      },
    },
    thresholds: {
      plumbline_failed: [stop(`rate<=${harmShare}`)],
      ...(latencyCeilingMs === null
        ? {}
        : { plumbline_answer: [stop(`med<=${latencyCeilingMs}`)] }),
    },
    summaryTrendStats: ["count", "p(50)", "p(90)", "p(95)", "p(99)", "max"],
    // k6 ends a set-up after 60 s by itself.
    setupTimeout: `${spendingMsMax(spendingMs, REQUEST_TIMEOUT_MS)}ms`,
    batch: plan.keys.length,
    discardResponseBodies: true,
    systemTags: ["method", "name", "status"],
  };
}

/** One request of a virtual user. */
function requestOnce(plan: RunPlan, { endpoint }: CapacityOrder, turns: readonly string[]): void {
  const { progress, iterationInTest } = exec.scenario;
  const name = turns[iterationInTest % turns.length];
  if (name === undefined) throw new Error("the plan names no key to send with");
  const isMeasured = progress >= WARM_UP_SHARE;
  const response = http.get(plan.baseUrl + ROUTES[endpoint], {
    headers: {
      Accept: "application/json",
      [API_KEY_HEADER]: keyValue(k6World, planKey(plan, name)),
    },
    redirects: 0,
    // No cookie of an earlier answer: a load balancer would bind the user to one machine by it.
    jar: new http.CookieJar(),
    timeout: REQUEST_TIMEOUT_MS,
    tags: { name: `GET ${ROUTES[endpoint]}` },
  });
  const isRefused = response.status === 429;
  const isFailed = !isRefused && (response.status < 200 || response.status >= 300);
  sent.add(1);
  failed.add(isFailed);
  if (isFailed && response.status >= 400 && response.status < 500) refusedOtherwise.add(1);
  if (!isMeasured) return;
  measuredSent.add(1);
  if (isRefused) measuredRefused.add(1);
  else if (!isFailed) {
    measuredAnswered.add(1);
    times.add(response.timings.blocked + response.timings.duration);
  }
}

function measurementOfRequests(order: CapacityOrder, data: SummaryData): StepMeasurement {
  const value = (name: string, field: string) => data.metrics[name]?.values[field] ?? 0;
  const loadMs = data.state.testRunDurationMs - value("plumbline_spending", "value");
  const ranMs = Math.min(order.durationMs, loadMs);
  const seconds = ranMs / 1_000;
  const warmUpSeconds = (order.durationMs * WARM_UP_SHARE) / 1_000;
  const measuredSeconds = Math.max(0, seconds - warmUpSeconds);
  const dropped = value("dropped_iterations", "count");
  const all = value("plumbline_sent", "count");
  const failures = value("plumbline_failed", "passes");
  const answered = value("plumbline_measured_answered", "count");
  const isWhole = ranMs > order.durationMs * WHOLE_SHARE;
  return {
    startedAtMs: Date.now() - loadMs,
    seconds,
    warmUpSeconds,
    measured: {
      sent: value("plumbline_measured_sent", "count"),
      refused429: value("plumbline_measured_429", "count"),
    },
    sent: all,
    errors: failures,
    serviceErrors: value("plumbline_4xx", "count"),
    errorKinds: failures === 0 ? [] : [`${failures} not answered 2xx`],
    latencyMs: quantilesIn(data.metrics.plumbline_answer?.values),
    submitMs: null,
    queueWaitMs: null,
    runMs: null,
    answeredPerSecond: measuredSeconds === 0 ? null : answered / measuredSeconds,
    stretchSeconds: 0,
    series: [],
    generator: {
      scheduled: all + dropped,
      dropped,
      lagP99Ms: 0,
      loopDelayP99Ms: 0,
      loopDelayMaxMs: 0,
    },
    hostLag: { wholeMs: 0, lastThirdMs: 0, runnablePerCore: 0 },
    newsLagP95Ms: 0,
    leftOpen: 0,
    untaken: null,
    stopped: isWhole ? null : "answers became slow, or failed",
    variant: null,
  };
}

/** Ours: the executor starts its last iteration a moment before the end. */
const WHOLE_SHARE = 0.95;

function quantilesIn(values: Readonly<Record<string, number>> | undefined): TimeQuantiles | null {
  const at = (name: string) => rounded(values?.[name] ?? 0, 1);
  if (at("count") === 0) return null;
  return {
    count: at("count"),
    p50: at("p(50)"),
    p90: at("p(90)"),
    p95: at("p(95)"),
    p99: at("p(99)"),
    max: at("max"),
  };
}
