/** Sends requests to a read endpoint at one rate, by k6's arrival-rate executor. */

import exec from "k6/execution";
import http from "k6/http";
import { Counter, Rate, Trend } from "k6/metrics";
import type { Options } from "k6/options";
import type {
  CapacityOrder,
  StepMeasurement,
  TimeQuantiles,
} from "../../contract/capacity-step.ts";
import { CAPACITY_MEASUREMENT } from "../../contract/capacity-step.ts";
import { rounded } from "../../contract/figures.ts";
import { API_KEY_HEADER, ROUTES } from "../../contract/routes.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import { WHOLE_LOAD } from "../../contract/shards.ts";
import type { Json } from "../../contract/verdict.ts";
import { keyValue, planKey } from "../client/plan.ts";
import { emit, k6World } from "./k6.ts";
import { CLIENT_OPTIONS } from "./k6-options.ts";
import type { K6Test } from "./k6-scenario.ts";
import type { SummaryData } from "./k6-summary.ts";
import { reporterOf } from "./reporter.ts";

const times = new Trend("plumbline_answer", true);
const failed = new Rate("plumbline_failed");
const sent = new Counter("plumbline_sent");
const measuredSent = new Counter("plumbline_measured_sent");
const measuredRefused = new Counter("plumbline_measured_429");
const measuredAnswered = new Counter("plumbline_measured_answered");

/** Rates are whole numbers in k6; so many seconds of one make tenths exact. */
const UNIT_SECONDS = 10;
/** Ours: users that wait for an answer at once; beyond it a generator measures itself alone. */
const USERS_MAX = 500;
const USERS_MIN = 10;
/** Ours: no answer of the interface takes this long. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Ours: harm shows within a second or two, and not in the first few requests. */
const HARM_AFTER = "2s";
/** Ours: the first third of a step opens connections, and is not measured. */
const WARM_UP_SHARE = 1 / 3;

/** Of requests many virtual users know a part each; only in the summary all their figures meet. */
export function k6Requests(plan: RunPlan, order: CapacityOrder): K6Test {
  // Not k6's own clock, which is not there in a summary.
  const report = reporterOf({ emit, now: Date.now, shard: WHOLE_LOAD }, "capacity");
  return {
    options: requestOptions(plan, order),
    setup: () => report.registered([]),
    run: async () => requestOnce(plan, order),
    handleSummary(data) {
      const measurement = measurementOfRequests(order, data);
      report.measurement(CAPACITY_MEASUREMENT, measurement as unknown as Json);
      report.ended();
      return { stdout: "" };
    },
  };
}

function requestOptions(plan: RunPlan, order: CapacityOrder): Options {
  const { ratePerSecond, durationMs, latencyCeilingMs, harmShare } = order;
  const ceilingSeconds = (latencyCeilingMs ?? 1_000) / 1_000;
  const users = Math.ceil(ratePerSecond * ceilingSeconds * 2);
  const maxVUs = Math.min(USERS_MAX, Math.max(USERS_MIN, users));
  const stop = (threshold: string) => ({
    threshold,
    abortOnFail: true,
    delayAbortEval: HARM_AFTER,
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
    batch: plan.keys.length,
    discardResponseBodies: true,
    systemTags: ["method", "name", "status"],
  };
}

/** One request of a virtual user; the keys take turns. */
function requestOnce(plan: RunPlan, { endpoint }: CapacityOrder): void {
  const { progress, iterationInTest } = exec.scenario;
  const names = plan.roles.loaded;
  const name = names[iterationInTest % names.length];
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
  const ranMs = Math.min(order.durationMs, data.state.testRunDurationMs);
  const seconds = ranMs / 1_000;
  const warmUpSeconds = (order.durationMs * WARM_UP_SHARE) / 1_000;
  const measuredSeconds = Math.max(0, seconds - warmUpSeconds);
  const dropped = value("dropped_iterations", "count");
  const all = value("plumbline_sent", "count");
  const failures = value("plumbline_failed", "passes");
  const answered = value("plumbline_measured_answered", "count");
  const isWhole = ranMs > order.durationMs * WHOLE_SHARE;
  return {
    startedAtMs: Date.now() - data.state.testRunDurationMs,
    seconds,
    warmUpSeconds,
    measured: {
      sent: value("plumbline_measured_sent", "count"),
      refused429: value("plumbline_measured_429", "count"),
    },
    sent: all,
    errors: failures,
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
