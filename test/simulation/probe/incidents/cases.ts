/** Incidents, and what each is to look like to those on call. */

import { isObject } from "../../../../contract/decode/decoded.ts";
import type { Hooks } from "../../../../reference/hooks.ts";
import type { Answer } from "../../../../reference/http.ts";
import type { ServedAnswer, ServedRequest } from "../../../../simulation/http.ts";
import type { Happening, Incident } from "./incident.ts";

const isSubmission = ({ method, target }: ServedRequest) =>
  method === "POST" && target.endsWith("/jobs");
const isJobList = ({ method, target }: ServedRequest) =>
  method === "GET" && target.split("?")[0] === "/v1/jobs";
const isOf = (worker: string) => (request: ServedRequest) =>
  isSubmission(request) && request.target.includes(`/${worker}/`);

function answering(status: number, which: (request: ServedRequest) => boolean): Happening {
  const body = JSON.stringify({ error: "refused", message: "refused", status });
  const headers = { "content-type": "application/json" };
  return { answer: (request) => (which(request) ? { status, headers, body } : null) };
}

/** One request in so many. */
function inTurn(count: number, answer: Partial<ServedAnswer>): Happening {
  let requests = 0;
  return {
    answer: () => {
      requests += 1;
      return requests % count === 0 ? answer : null;
    },
  };
}

/** Longer than anybody waits. */
const NEVER_MS = 1e9;

/** Jobs of one worker, and its limit, which would end them. */
function endless(worker: string): Partial<Hooks> {
  return {
    runMs: (ms, job) => (job.worker.id === worker ? NEVER_MS : ms),
    limitMs: (ms, job) => (job.worker.id === worker ? NEVER_MS : ms),
  };
}

/** One cold start of 40 s, of the first job after ten minutes. */
function coldOnce(minutesIn: () => number): Partial<Hooks> {
  let isCold = true;
  return {
    queueMs: (ms) => {
      if (!isCold || minutesIn() < 10) return ms;
      isCold = false;
      return ms + 40_000;
    },
  };
}

/** Of one worker, each job in so many. */
function failingEach(count: number, worker: string): () => Partial<Hooks> {
  let jobs = 0;
  return () => ({
    ending: (state, job) => {
      if (job.worker.id !== worker) return state;
      jobs += 1;
      return jobs % count === 0 ? "failed" : state;
    },
  });
}

/** What is submitted waits until the end of so many minutes. */
function standing(minutes: number) {
  return (minutesIn: () => number): Partial<Hooks> => ({
    queueMs: (ms) => ms + Math.max(0, minutes - minutesIn()) * 60_000,
  });
}

/** Of each job, wherever it is told: what another one returned, long ago. */
function ofYesterday(): Partial<Hooks> {
  const data = { text: "of yesterday" };
  const told = (body: Readonly<Record<string, unknown>>) => {
    const { output, result } = body;
    if (!isObject(output) || !isObject(output.data)) return body;
    const inWebhook = isObject(result) ? { result: data } : {};
    return { ...body, output: { ...output, data }, ...inWebhook };
  };
  return {
    answer: (answer) => (isObject(answer.body) ? { ...answer, body: told(answer.body) } : answer),
    webhook: (message) => message && { ...message, body: told(message.body) },
  };
}

const limited = { status: 429, headers: { "retry-after": "30" } };

/** What was last answered of a job stands for a minute, as in a cache in front of the service. */
function keptAtEdge(minutesIn: () => number): Partial<Hooks> {
  const kept = new Map<string, { untilMinute: number; answer: Answer }>();
  return {
    answer: (answer, { request: { route, parameter } }) => {
      if (route !== "job") return answer;
      const before = kept.get(parameter);
      if (before !== undefined && minutesIn() < before.untilMinute) return before.answer;
      kept.set(parameter, { untilMinute: minutesIn() + 1, answer });
      return answer;
    },
  };
}

const lateInTurn: NonNullable<Happening["post"]> = (send, after) => {
  let posts = 0;
  return async (post) => {
    posts += 1;
    if (posts % 10 < 3) await new Promise<void>((resolve) => after(60_000, resolve));
    return await send(post);
  };
};

/** The queues of one of three pools, each of which takes its turn, are never worked off. */
function poolDown(): Partial<Hooks> {
  let jobs = 0;
  return {
    queueMs: (ms) => {
      jobs += 1;
      return jobs % 3 === 0 ? NEVER_MS : ms;
    },
  };
}

const ALL = "main, long-run, run-limit, failing-job, list-result, empty-result, file-result";

export const INCIDENTS: readonly Incident[] = [
  {
    title: "the service's name can't be resolved",
    happens: { answer: () => ({ lost: "dns" }) },
    minutes: 15,
    fires: {
      "PlumblineCanarySuccessBurn page": 6,
      "PlumblineApiAvailableBurn page": 7,
      "PlumblineCanaryFailing page": 4,
    },
    page: [
      RegExp(`^Requests fail \\(${ALL}\\): the submission: no response \\(dns: `),
      /^API checks fail: GET .v1.me, .v1.me.credits, .v1.workers, .v1.jobs: no response \(dns: /,
    ],
    over: 32,
  },
  {
    title: "one request in three gets 503",
    happens: inTurn(3, { status: 503 }),
    minutes: 20,
    fires: {
      "PlumblineCanarySuccessBurn page": 18,
      "PlumblineResponsesFaulty ticket failed-polls": 5,
      "PlumblineCanaryFlapping ticket": 15,
      "PlumblineApiAvailableBurn page": 19,
    },
    page: [
      /^Requests fail \(main, .*\): the submission: answered 503/,
      /^API checks fail: .*answered 503 \(not always\)/,
      /^Some polls fail between good ones: .*was answered 503/,
    ],
    over: 65,
  },
  {
    title: "half of the requests get 502, as where one of two regions is down",
    happens: inTurn(2, { status: 502 }),
    minutes: 20,
    fires: {
      "PlumblineApiAvailableBurn page": 9,
      "PlumblineCanarySuccessBurn page": 14,
      "PlumblineCanaryFailing page": 21,
      "PlumblineResponsesFaulty ticket failed-polls": 5,
      "PlumblineCanaryFlapping ticket": 20,
    },
    page: [
      /^Requests fail \(main, .*\): the submission: answered 502.*; other runs meanwhile succeeded/,
      /^API checks fail: .*answered 502 \(not always\)/,
      /^Some polls fail between good ones: .*was answered 502/,
    ],
    over: 65,
  },
  {
    title: "the key is revoked",
    happens: answering(401, () => true),
    minutes: 15,
    fires: { "PlumblineKeyRejected page": 4 },
    page: [
      RegExp(`^The service rejects the probe's key \\(${ALL}\\): the submission: answered 401`),
    ],
    over: 10,
  },
  {
    title: "a firewall refuses all requests with a web page",
    happens: {
      answer: () => ({
        status: 403,
        headers: { "content-type": "text/html" },
        body: "<!doctype html><title>Access denied</title>",
      }),
    },
    minutes: 15,
    fires: {
      "PlumblineCanarySuccessBurn page": 6,
      "PlumblineApiAvailableBurn page": 7,
      "PlumblineCanaryFailing page": 4,
    },
    page: [
      RegExp(`^Requests fail, as of something in front of the service \\(${ALL}\\): .*403 with a`),
      /^API checks fail, as of something in front .*: GET .v1.me, .*: answered 403 with a web page/,
    ],
    over: 32,
  },
  {
    title: "submissions get 402, though the balance shows credits",
    happens: answering(402, isSubmission),
    minutes: 15,
    fires: { "PlumblineCreditsLow ticket credits": 8 },
    page: [
      /^Submissions are refused for want of credits \(.*\): .* answered 402; .* read is [\d.]+;/,
    ],
    over: 32,
  },
  {
    title: "one worker of seven is unknown",
    happens: answering(404, isOf("rows")),
    minutes: 25,
    fires: { "PlumblineCanaryFailing page list-result": 15 },
    page: [/^Requests fail \(list-result\): the submission: answered 404/],
    over: 32,
  },
  {
    title: "jobs of one worker never end",
    happens: { hooks: () => endless("rows") },
    minutes: 25,
    fires: {
      "PlumblinePromiseBroken ticket job.never-lost": 8,
      "PlumblineJobsStuck ticket list-result": 12,
      "PlumblineCanaryFailing page list-result": 18,
    },
    page: [/^Jobs do not end within their deadline \(list-result\)/],
    over: 75,
  },
  {
    title: "one job in fourteen of one worker fails, with good ones between",
    happens: { hooks: failingEach(14, "echo") },
    minutes: 50,
    fires: { "PlumblineCanaryFlapping ticket main": 46 },
    page: [],
    over: 65,
  },
  {
    title: "each job has yesterday's result",
    happens: { hooks: ofYesterday },
    minutes: 70,
    fires: {
      "PlumblinePromiseBroken page job.own-result": 5,
      "PlumblinePromiseBroken ticket job.own-result": 2,
      "PlumblinePromiseBroken ticket job.terminal-final": 3,
    },
    page: [/^Broken promise job.own-result: .* \(main\): .*the result lacks "plumbline-/],
    over: 65,
  },
  {
    title: "one of three pools does not start its jobs",
    happens: { hooks: poolDown },
    minutes: 26,
    fires: {
      "PlumblineCanarySuccessBurn page": 18,
      "PlumblineJobsStuck ticket": 10,
      "PlumblineQueueWaitBurn page": 30,
    },
    page: [/^Jobs do not end within their deadline \(main.*last seen queued; other runs meanwhile/],
    over: 85,
  },
  {
    title: "each job is charged twice, which the balance alone shows",
    happens: { faults: ["load.accounting/each-charged-twice"] },
    minutes: 40,
    fires: { "PlumblinePromiseBroken ticket job.run-once": 30 },
    page: [/^Broken promise job.run-once: .*, twice that each time/],
    over: 75,
  },
  {
    title: "no job starts, at a service whose responses take 0.8 s",
    happens: { delayMs: 800, hooks: standing(20) },
    minutes: 20,
    fires: {
      "PlumblineCanarySuccessBurn page": 7,
      "PlumblineCanaryFailing page": 5,
      "PlumblineJobsStuck ticket main": 5,
      "PlumblineJobsStuck ticket": 5,
      "PlumblineQueueWaitBurn page": 14,
    },
    page: [RegExp(`^Jobs do not end within their deadline \\(${ALL}\\): .*; last seen queued`)],
    over: 65,
  },
  {
    title: "each response takes four seconds",
    happens: { delayMs: 4_000 },
    minutes: 20,
    fires: { "PlumblineResponsesFaulty ticket slow": 8 },
    page: [/^Responses take seconds, or do not come: /],
    over: 65,
  },
  {
    title: "submissions are answered after 20 s, and their jobs run",
    happens: {
      hooks: () => ({
        delayMs: (ms, { request }) => (request.method === "POST" ? ms + 20_000 : ms),
      }),
    },
    minutes: 20,
    fires: {
      "PlumblineResponsesFaulty page lost-submissions": 12,
      "PlumblineResponsesFaulty ticket lost-submissions": 5,
    },
    page: [/^Submissions get no usable response, though their jobs may run: POST .*timeout/],
    over: 65,
  },
  {
    title: "queues grow by a second a minute",
    happens: { hooks: (minutesIn) => ({ queueMs: (ms) => ms + 1_000 * minutesIn() }) },
    minutes: 45,
    fires: { "PlumblineQueueWaitBurn page": 20, "PlumblineJobDurationBurn page": 45 },
    page: [],
    over: 32,
  },
  {
    title: "queues grow by a second each ten minutes",
    happens: { hooks: (minutesIn) => ({ queueMs: (ms) => ms + 100 * minutesIn() }) },
    minutes: 120,
    fires: { "PlumblineQueueWaitBurn page": 110 },
    page: [],
    over: 32,
  },
  {
    title: "the plan allows less than the probe needs",
    happens: { hooks: () => ({ limit: () => ({ sustained: 0.1, burst: 3 }) }) },
    minutes: 20,
    fires: { "PlumblineRateLimitedWithinPlan ticket": 3 },
    page: [/^The service rate-limits the probe's key/],
    over: 17,
  },
  {
    title: "each request gets 429",
    happens: { answer: () => limited },
    minutes: 25,
    fires: {
      "PlumblineRateLimitedWithinPlan page": 10,
      "PlumblineRateLimitedWithinPlan ticket": 3,
    },
    page: [
      RegExp(
        `^The service rate-limits the probe's key \\(${ALL}\\): .*a 429 asked for a wait of 30 s ` +
          "\\(Retry-After\\); the probe tries again within a minute; ",
      ),
    ],
    over: 17,
  },
  {
    title: "each request gets 429 for two minutes, again and again",
    happens: { answer: (_, minutesIn) => (minutesIn % 10 < 2 ? limited : null) },
    minutes: 28,
    fires: { "PlumblineRateLimitedWithinPlan ticket": 3 },
    page: [],
    over: 17,
  },
  {
    title: "an edge keeps the status of each job for a minute",
    happens: { hooks: keptAtEdge },
    minutes: 40,
    fires: {
      "PlumblineResponsesFaulty ticket stale-polls": 5,
      "PlumblineJobDurationBurn page": 12,
    },
    page: [/^Polls show jobs as they were, after their webhooks: job .* \d\d s after its webhook/],
    over: 65,
  },
  {
    title: "webhooks come as the run starts",
    happens: { faults: ["webhook.not-before-terminal/at-the-start"] },
    minutes: 20,
    fires: {
      "PlumblinePromiseBroken ticket webhook.not-before-terminal": 5,
      "PlumblinePromiseBroken ticket webhook.truthful": 6,
    },
    page: [
      /^Broken promise webhook.truthful: .* \(file-result\): it tells no files, /,
      /^Broken promise webhook.not-before-terminal: .*came before the job had ended/,
    ],
    over: 65,
  },
  {
    title: "webhooks come two minutes late",
    happens: {
      post: (send, after) => async (post) => {
        await new Promise<void>((resolve) => after(120_000, resolve));
        return await send(post);
      },
    },
    minutes: 20,
    fires: { "PlumblineWebhookDelayBurn page": 11 },
    page: [],
    over: 40,
  },
  {
    title: "three webhooks in ten come a minute late",
    happens: { post: lateInTurn },
    minutes: 35,
    fires: { "PlumblineWebhookDelayBurn page": 31 },
    page: [],
    over: 40,
  },
  {
    title: "webhooks are lost",
    happens: { faults: ["webhook.delivered/never"] },
    minutes: 20,
    fires: { "PlumblineWebhookDeliveredBurn page": 9, "PlumblineWebhookMissing ticket": 9 },
    page: [/^Webhooks are missing \(.*main.*\)/],
    over: 67,
  },
  {
    title: "the job list alone gets 500",
    happens: answering(500, isJobList),
    minutes: 25,
    fires: { "PlumblineApiAvailableBurn page": 20 },
    page: [/^API checks fail: GET .v1.jobs: answered 500/],
    over: 32,
  },
  {
    title: "the list of workers is empty, while their jobs run",
    happens: {
      answer: ({ target }) => {
        if (target.split("?")[0] !== "/v1/workers") return null;
        const headers = { "content-type": "application/json" };
        return { status: 200, headers, body: '{"workers":[]}' };
      },
    },
    minutes: 25,
    fires: { "PlumblineApiAvailableBurn page": 20 },
    page: [
      /^API checks fail: GET .v1.workers: an empty list, which named canaries' workers before/,
    ],
    over: 32,
  },
  {
    title: "a database fails over for 40 s; Prometheus is away for three minutes",
    unscraped: [12, 15],
    happens: {
      answer: (_, minutesIn) => (minutesIn < 40 / 60 ? { status: 500 } : null),
    },
    minutes: 20,
    fires: {},
    page: [],
    over: 20,
  },
  {
    title: "nothing unlawful: slow, stale, restarted, cold once, seen by a clock 2 min ahead",
    probeAheadMs: 120_000,
    viewLagMsMax: 2_000,
    happens: {
      delayMs: 800,
      hooks: coldOnce,
      // For three seconds nobody listens.
      answer: (_, minutesIn) => (minutesIn > 5 && minutesIn < 5.05 ? { lost: "refused" } : null),
    },
    minutes: 30,
    fires: {},
    page: [],
    over: 5,
  },
];
