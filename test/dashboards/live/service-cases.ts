/** Faults of the service that is watched, and near misses of them. */

import { API_CHECKS } from "../../../probe/events.ts";
import {
  A_WHILE,
  AN_HOUR,
  answering,
  burning,
  FAILING,
  HALF_AN_HOUR,
  inWorld,
  MINUTE,
  ofReference,
  seenBroken,
  slower,
} from "./case-kinds.ts";
import type { FaultCase } from "./fault-case.ts";
import { occupy } from "./occupy.ts";
import { canary } from "./world.ts";

const OUTAGES: readonly FaultCase[] = [
  inWorld({
    id: "service-down",
    fault: "The service is down: connections are refused",
    raises: [FAILING, burning("CanarySuccess"), burning("ApiAvailable")],
    mayRaise: slower("CanarySuccess", "ApiAvailable"),
    clearsSeconds: A_WHILE,
    begin: async ({ gateway }) => {
      await gateway.shut();
      return () => gateway.open();
    },
  }),
  answering(
    {
      id: "service-500",
      fault: "Every response is 500",
      raises: [FAILING, burning("CanarySuccess"), burning("ApiAvailable")],
      mayRaise: slower("CanarySuccess", "ApiAvailable"),
      clearsSeconds: A_WHILE,
    },
    () => ({ status: 500 }),
  ),
  answering(
    {
      id: "submit-503",
      fault: "Submissions are answered 503; all other requests succeed",
      raises: [FAILING, burning("CanarySuccess")],
      mayRaise: slower("CanarySuccess"),
      clearsSeconds: A_WHILE,
    },
    (method) => (method === "POST" ? { status: 503 } : null),
  ),
  answering(
    {
      id: "submit-silent",
      fault: "Submissions are never answered and start no job; all other requests succeed",
      // A run waits for its answer until its deadline, which is two intervals here.
      raises: [{ ...FAILING, withinSeconds: 8 * MINUTE }, burning("CanarySuccess", 12 * MINUTE)],
      // The time from a submission to its verdict is one of these, whatever the verdict.
      mayRaise: ["PlumblineJobDurationBurn 1h", ...slower("CanarySuccess", "JobDuration")],
      // For as long as a probe without a verdict would be said to be blind for its key's sake.
      lastsSeconds: HALF_AN_HOUR,
      clearsSeconds: A_WHILE,
    },
    (method) => (method === "POST" ? "silence" : null),
  ),
  answering(
    {
      id: "service-silent",
      fault: "Requests are accepted, but never answered",
      raises: [
        { ...FAILING, withinSeconds: 12 * MINUTE },
        burning("CanarySuccess", 16 * MINUTE),
        // Six checks, one after the other, wait 15 s each, which do not scale.
        burning("ApiAvailable", 40 * MINUTE),
      ],
      mayRaise: [
        "PlumblineJobDurationBurn 1h",
        ...slower("CanarySuccess", "ApiAvailable", "JobDuration"),
      ],
      lastsSeconds: HALF_AN_HOUR,
      clearsSeconds: HALF_AN_HOUR,
    },
    () => "silence",
  ),
  answering(
    {
      id: "reads-silent",
      fault: "Jobs are accepted, but polls are never answered",
      raises: [FAILING, burning("CanarySuccess", 12 * MINUTE)],
      mayRaise: [
        "PlumblineJobsStuck",
        "PlumblineJobDurationBurn 1h",
        ...slower("CanarySuccess", "JobDuration"),
      ],
      clearsSeconds: HALF_AN_HOUR,
    },
    (method, path) => (method === "GET" && path.startsWith("/v1/jobs") ? "silence" : null),
  ),
  inWorld({
    id: "single-failure",
    fault: "A single canary fails",
    raises: [],
    lastsSeconds: MINUTE,
    clearsSeconds: 0,
    begin: async ({ gateway, sample }) => {
      gateway.fail((method) => (method === "POST" ? { status: 500 } : null));
      while ((await sample(/^plumbline_canary_runs_total\{.*outcome="http_error"/)) < 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      gateway.fail(null);
      return () => {};
    },
  }),
  inWorld({
    id: "single-round",
    fault: "One round of API checks fails",
    raises: [],
    lastsSeconds: 3 * MINUTE,
    clearsSeconds: 0,
    begin: async ({ gateway, sample }) => {
      gateway.fail((method, path) =>
        method === "POST" || path.includes("/jobs/") ? null : { status: 500 },
      );
      const failed = /^plumbline_api_checks_total\{.*outcome="http_error"/;
      while ((await sample(failed)) < API_CHECKS.length) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      gateway.fail(null);
      return () => {};
    },
  }),
];

const REFUSALS: readonly FaultCase[] = [
  answering(
    {
      id: "key-revoked",
      fault: "The probe's key is revoked: every response is 401",
      // Half an hour without a verdict, by the rule; an outage would not be seen.
      raises: [
        { alert: "PlumblineKeyRejected", withinSeconds: 5 * MINUTE },
        { alert: "PlumblineProbeBlind", withinSeconds: 35 * MINUTE },
      ],
      clearsSeconds: 5 * MINUTE,
    },
    () => ({ status: 401 }),
  ),
  answering(
    {
      id: "credits-out",
      fault: "The account has no credits: submissions are answered 402",
      raises: [{ alert: "PlumblineCreditsLow", withinSeconds: 10 * MINUTE }],
      clearsSeconds: HALF_AN_HOUR,
    },
    (method) => (method === "POST" ? { status: 402 } : null),
  ),
  answering(
    {
      id: "limited",
      fault: "Submissions within the plan are answered 429",
      raises: [{ alert: "PlumblineRateLimitedWithinPlan", withinSeconds: 6 * MINUTE }],
      clearsSeconds: 18 * MINUTE,
    },
    (method) => (method === "POST" ? { status: 429, headers: { "retry-after": "1" } } : null),
  ),
  answering(
    {
      id: "limited-without-end",
      fault: "429 without Retry-After",
      raises: [
        { alert: "PlumblineRateLimitedWithinPlan", withinSeconds: 6 * MINUTE },
        {
          alert: "PlumblineRetryAfterUntrue rate.retry-after-present",
          withinSeconds: 4 * MINUTE,
        },
      ],
      clearsSeconds: AN_HOUR,
    },
    (method) => (method === "POST" ? { status: 429 } : null),
  ),
];

const WEBHOOKS = { webhooks: true, canaries: [canary("success", { webhook: true })] };
/** With a second to answer, in place of a fifth: who is late for it is asked again. */
const SLOW_WEBHOOKS = { ...WEBHOOKS, reference: { timeScale: 0.1 } };
const TIMEOUTS = { canaries: [canary("success"), canary("timeout")] };

/** One observation is enough for a ticket, which stays for the hour that it looks back. */
const ticketsOn = (promises: readonly string[], withinSeconds?: number) => ({
  raises: promises.map((promise) => seenBroken(promise, withinSeconds)),
  clearsSeconds: AN_HOUR,
});

/** A job that was read as it should be before the fault has changed after its end. */
const SEEN_BEFORE = "PlumblinePromiseBroken job.terminal-final";

const PROMISES: readonly FaultCase[] = [
  ofReference(
    "wrong-answers",
    ["submit.accepted-status/answers-200", "job.timestamps/out-of-order", "job.cost/sum-off"],
    {
      ...ticketsOn(["submit.accepted-status", "job.timestamps", "job.cost"]),
      mayRaise: [SEEN_BEFORE],
    },
  ),
  ofReference("no-result", ["job.result-present/missing"], {
    raises: [seenBroken("job.result-present"), FAILING, burning("CanarySuccess")],
    mayRaise: [SEEN_BEFORE, ...slower("CanarySuccess")],
    clearsSeconds: AN_HOUR,
  }),
  ofReference("credits-missing", ["account.readable/credits-404"], {
    // Checks are as seldom here as every three minutes are in life, and one of three fails.
    raises: [seenBroken("account.readable", 6 * MINUTE), burning("ApiAvailable", 25 * MINUTE)],
    mayRaise: slower("ApiAvailable"),
    clearsSeconds: AN_HOUR,
  }),
  ofReference(
    "timeout-charged",
    ["timeout.free/1-percent"],
    {
      raises: [{ alert: "PlumblineTimeoutCharged", withinSeconds: 4 * MINUTE }],
      clearsSeconds: AN_HOUR,
    },
    TIMEOUTS,
  ),
  ofReference(
    "timeout-fails",
    ["timeout.fires/fails"],
    {
      raises: [seenBroken("timeout.fires"), FAILING, burning("CanarySuccess")],
      mayRaise: slower("CanarySuccess"),
      clearsSeconds: AN_HOUR,
    },
    TIMEOUTS,
  ),
  ofReference(
    "wrong-webhooks",
    // What is not signed says nothing of its job, so that some have to be.
    ["webhook.signed/once-in-a-while", "webhook.truthful/another-status"],
    {
      ...ticketsOn(["webhook.signed", "webhook.truthful"], 5 * MINUTE),
      // A delivery without its signature is bad for that objective, too.
      mayRaise: ["PlumblineWebhookDeliveredBurn 1h", ...slower("WebhookDelivered")],
    },
    SLOW_WEBHOOKS,
  ),
  ofReference(
    "repeated-webhooks",
    ["webhook.once/twice"],
    ticketsOn(["webhook.once"], 5 * MINUTE),
    SLOW_WEBHOOKS,
  ),
  ofReference(
    "no-webhooks",
    ["webhook.delivered/never"],
    {
      // A webhook is missing after all the retries that might bring it, and 15 s that do not scale.
      raises: [
        { alert: "PlumblineWebhookMissing", withinSeconds: 12 * MINUTE },
        burning("WebhookDelivered", 25 * MINUTE),
      ],
      mayRaise: slower("WebhookDelivered"),
      clearsSeconds: AN_HOUR + 12 * MINUTE,
    },
    WEBHOOKS,
  ),
  ofReference("stuck-jobs", ["job.never-lost/never-ends"], {
    raises: [{ alert: "PlumblineJobsStuck", withinSeconds: 25 * MINUTE }],
    mayRaise: [
      "PlumblinePromiseBroken job.never-lost",
      "PlumblineCanarySuccessBurn 1h",
      "PlumblineJobDurationBurn 1h",
      ...slower("CanarySuccess", "JobDuration"),
    ],
    clearsSeconds: AN_HOUR,
  }),
  inWorld({
    id: "backlog",
    fault: "Other customers' jobs fill the worker: canaries queue for seconds",
    world: { canaries: [canary("slow", { name: "main" })] },
    raises: [burning("QueueWait", 20 * MINUTE)],
    mayRaise: [...slower("QueueWait", "JobDuration"), "PlumblineJobDurationBurn 1h"],
    clearsSeconds: A_WHILE,
    begin: occupy,
  }),
];

/** Lawful, if unusual: nobody is told. */
const silent = { raises: [], lastsSeconds: 10 * MINUTE, clearsSeconds: 0 };

const NEAR_MISSES: readonly FaultCase[] = [
  ofReference(
    "near-misses",
    [
      "submit.asynchronous/near-slow-answer",
      "job.timestamps/near-microseconds",
      "timeout.not-late/near-1-s-late",
      "webhook.body/near-more-fields",
    ],
    silent,
    { webhooks: true, canaries: [canary("success", { webhook: true }), canary("timeout")] },
  ),
];

export const SERVICE_CASES: readonly FaultCase[] = [
  ...OUTAGES,
  ...REFUSALS,
  ...PROMISES,
  ...NEAR_MISSES,
];
