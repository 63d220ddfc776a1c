/**
 * Faults of the submission promises: the accepted object, and what must be refused. A job that
 * answers for a second submission has no second run, began before, and has the webhook of the
 * first: hence the companions. One whose place another takes is listed no more, and its webhook
 * tells of another job than its address.
 */

import type { Account } from "../accounts/account.ts";
import type { Worker } from "../catalogue/worker.ts";
import { wholeMs } from "../clock.ts";
import type { Hooks } from "../hooks.ts";
import type { Reason } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import {
  accepted,
  all,
  answering,
  type Fields,
  onAnswer,
  onBody,
  without,
  withStatus,
  workerField,
} from "./answers.ts";
import { type Fault, type FaultScene, faultsOf, ofJobs, sometimes, UNDER_LOAD } from "./fault.ts";
import { timeMs, withoutZone } from "./job-views.ts";
import { answeredAfter, letting, onRefused } from "./submissions.ts";

/** Rewrites the accepted object, 1 time in `oneOf`. */
const onAccepted = (bend: (body: Fields) => unknown, oneOf = 1) =>
  sometimes(oneOf, (isTime) => onBody(all(accepted, isTime), bend));

/** Refuses bodies that name a control parameter, at the workers that `which` picks. */
const refusing =
  (parameter: string, which: (worker: Worker) => boolean = () => true) =>
  (): Partial<Hooks> => ({
    bodyProblem: (found, worker, { body }) =>
      found === null && which(worker) && names(body, parameter) ? "schema-violation" : found,
  });

/** Refuses the first body for each worker that names both. */
function refusingOnce(): Partial<Hooks> {
  const met = new Set<Worker>();
  return {
    bodyProblem(found, worker, { body }) {
      if (found !== null || met.has(worker)) return found;
      if (!names(body, "priority") || !names(body, "webhook")) return found;
      met.add(worker);
      return "schema-violation";
    },
  };
}

/** Whether a body is an object that has such a field. */
function names(body: string, field: string): boolean {
  return Object.hasOwn(JSON.parse(body) as object, field);
}

const isStrict = ({ inputSchema }: Worker) => inputSchema.additionalProperties === false;

const timeField = (body: Fields) => ("submitted_at" in body ? "submitted_at" : "created_at");

function withTime(bend: (text: string) => unknown): (body: Fields) => Fields {
  return (body) => ({ ...body, [timeField(body)]: bend(String(body[timeField(body)])) });
}

/** Now and then the identifier of the key's last job with this worker, and no job of its own. */
const repeating = (oneOf: number) =>
  sometimes(oneOf, (isTime) => {
    const last = new Map<string, Job>();
    return {
      reused: (job, worker, key) =>
        isTime() ? (last.get(`${key.name} ${worker.id}`) ?? job) : job,
      answer(answer, { job, key, reason }) {
        if (job !== null && key !== null && reason === "accepted") {
          last.set(`${key.name} ${job.worker.id}`, job);
        }
        return answer;
      },
    };
  });

/** As of identifiers that are drawn from too few: the later of two jobs takes the other's place. */
const colliding = (oneOf: number) =>
  sometimes(oneOf, (isTime) => {
    const last = new Map<Account, string>();
    return {
      jobId(own, account) {
        const id = isTime() ? (last.get(account) ?? own) : own;
        last.set(account, id);
        return id;
      },
    };
  });

/** Answers a submission only when that share of the run is over. */
const waiting = (share: number) => () => answeredAfter(({ runMs }) => share * runMs);

/** What the jobs of 1 answer in some that waits take: as short as most; real milliseconds. */
const WAITED_FOR_MS = { least: 150, most: 600 } as const;

/** Each of those jobs starts at once, and is answered as it ends. */
const waitingForSome = (oneOf: number): Fault["create"] =>
  ofJobs(oneOf, (chosen, { random, timeScale }) => {
    const waited = new WeakSet<Job>();
    return {
      runMs(ms, job) {
        const limitMs = job.worker.timeoutSeconds * 1000 * timeScale;
        if (ms >= limitMs || limitMs <= WAITED_FOR_MS.most || !chosen(job)) return ms;
        waited.add(job);
        return WAITED_FOR_MS.least + (WAITED_FOR_MS.most - WAITED_FOR_MS.least) * random();
      },
      queueMs: (ms, job) => (waited.has(job) ? 0 : ms),
      ...answeredAfter((job) => (waited.has(job) ? job.runMs : 0)),
    };
  });

/** As of a function that calls the worker, and queues what takes longer; in ms of its time. */
const RUN_AT_ONCE_MS = { least: 200, most: 800 } as const;

const runningAtOnce: Fault["create"] = ({ random, timeScale }) => {
  const mostMs = RUN_AT_ONCE_MS.most * timeScale;
  const isShort = ({ runMs }: Job) => runMs <= mostMs;
  return {
    runMs(ms) {
      const { least, most } = RUN_AT_ONCE_MS;
      return ms > mostMs ? ms : (least + (most - least) * random()) * timeScale;
    },
    queueMs: (ms, job) => (isShort(job) ? 0 : ms),
    ...answeredAfter((job) => (isShort(job) ? job.runMs : 0)),
  };
};

/** Of one worker alone, whose runs all take as long; in ms of its time. */
const RENDER_MS = 400;

/** `queueMs`: how long its jobs wait, in ms of the service's time. */
const answeringLate =
  (queueMs: number): Fault["create"] =>
  ({ timeScale }) => {
    const isRendered = ({ worker, input }: Job) => worker.perform(input).files.length > 0;
    return {
      runMs: (ms, job) => (isRendered(job) ? RENDER_MS * timeScale : ms),
      queueMs: (ms, job) => (isRendered(job) ? queueMs * timeScale : ms),
      ...answeredAfter((job) => (isRendered(job) ? job.runMs : 0)),
    };
  };

const renderingAtOnce = answeringLate(0);
const takingSlowly = answeringLate(RENDER_MS);

/** Real milliseconds until one is found. */
const MACHINE_MS = { least: 2_000, most: 6_000 };

/** For 1 job in `oneOf` a machine is looked for, and only then is its submission answered. */
const awaitingMachines = (oneOf: number) =>
  ofJobs(oneOf, (chosen, { random }): Partial<Hooks> => {
    const { least, most } = MACHINE_MS;
    const drawn = new WeakMap<Job, number>();
    const waitMs = (job: Job) => {
      const ms = drawn.get(job) ?? (chosen(job) ? least + random() * (most - least) : 0);
      drawn.set(job, ms);
      return ms;
    };
    return { queueMs: (ms, job) => ms + waitMs(job), ...answeredAfter(waitMs) };
  });

const REUSED = {
  companions: [
    "webhook.delivered",
    "webhook.only-asked",
    "load.webhooks",
    "load.throughput",
    "job.duration",
  ],
} as const;

const ACCEPTED_FAULTS: readonly Fault[] = [
  ...faultsOf("submit.accepted-status", {
    "answers-200": ["Accepted with 200", answering("accepted", 200)],
    "answers-201": ["Accepted with 201", answering("accepted", 201)],
    "once-in-a-while": [
      "1 job in 8 is accepted with 200",
      sometimes(8, (isTime) => onAnswer(all(accepted, isTime), withStatus(200))),
    ],
  }),
  ...faultsOf("submit.accepted-shape", {
    "no-worker": [
      "The accepted object names no worker",
      onAccepted((body) => without(body, "worker", "worker_id")),
    ],
    "another-worker": [
      "The accepted object names another worker",
      onAccepted((body) => ({ ...body, [workerField(body)]: "worker-zero" })),
    ],
    running: [
      "The accepted object says that the job runs",
      onAccepted((body) => ({ ...body, status: body.status === "queued" ? "running" : "RUNNING" })),
    ],
    "no-time-zone": ["The accepted object's time has no zone", onAccepted(withTime(withoutZone))],
    epoch: ["The accepted object's time is a number", onAccepted(withTime(timeMs))],
    "estimate-as-text": [
      "The estimated cost is a text",
      onAccepted((body) => ({
        ...body,
        cost_estimate_credits: String(body.cost_estimate_credits),
      })),
      { variants: ["A"] },
    ],
    "once-in-a-while": [
      "1 accepted object in 8 has no time",
      onAccepted((body) => without(body, timeField(body)), 8),
    ],
    "near-more-fields": [
      "The accepted object has further fields",
      onAccepted((body) => ({ ...body, position: 3, links: {} })),
    ],
  }),
  ...faultsOf("submit.unique-id", {
    repeated: ["1 submission in 8 gets the last job's identifier", repeating(8), REUSED],
    colliding: [
      "1 job in 6 gets the identifier, and the place, of the job before",
      colliding(6),
      { companions: [...REUSED.companions, "job.list-limit", "webhook.body"] },
    ],
  }),
  ...faultsOf("submit.asynchronous", {
    "waits-for-the-run": ["The answer waits for the run", waiting(1)],
    "waits-for-half": ["The answer waits for half the run", waiting(0.5)],
    "1-in-8-waits-for-the-run": [
      "1 answer in 8 comes when the job has ended",
      waitingForSome(8),
      { companions: ["load.latency"], seenWith: ["job.list-limit"], choices: { dwell: "0" } },
    ],
    "runs-short-jobs-first": [
      "Jobs of up to 0.8 s run before the answer",
      runningAtOnce,
      { companions: ["load.latency"], seenWith: ["job.own-result"] },
    ],
    "files-before-the-answer": [
      "Jobs that write files run for 0.4 s each, before the answer",
      renderingAtOnce,
      { seenWith: ["load.errors"], choices: { dwell: "0" } },
    ],
    "near-files-slowly-taken": [
      "To take jobs that write files lasts 0.4 s, as each of their runs does",
      takingSlowly,
      { seenWith: ["load.errors"], choices: { dwell: "0" } },
    ],
    "waits-for-a-machine": [
      "The answer to 1 job in 3 waits until its job starts, for 2 to 6 s",
      awaitingMachines(3),
      { companions: ["load.latency"], seenWith: ["job.list-limit"] },
    ],
    "near-slow-answer": [
      "Each answer takes 80 ms, whatever the run",
      () => answeredAfter(() => 80),
    ],
  }),
  ...faultsOf("submit.control-parameters", {
    "priority-refused": ["A body with a priority is refused", refusing("priority")],
    "webhook-refused": ["A body with a webhook is refused", refusing("webhook")],
    "priority-against-schema": [
      "A schema without other fields refuses the priority, too",
      refusing("priority", isStrict),
    ],
    "webhook-against-schema": [
      "A schema without other fields refuses the webhook, too",
      refusing("webhook", isStrict),
    ],
    "near-refused-once": ["The first body with both for each worker is refused", refusingOnce],
  }),
];

/** Malformed are arrays, other values that are no objects, and what is no JSON at all. */
const isArray = (body: string) => /^\s*\[[\s\S]*\]\s*$/.test(body);

/** What a 4xx leaves behind when it should leave nothing. */
const leaving = (reasons: readonly Reason[], oneOf = 1) =>
  sometimes(oneOf, (isTime) =>
    onRefused(reasons, (submission) => {
      if (isTime()) submission.start();
    }),
  );

/** Ours: what the charged refusal takes, half a credit. */
const SECRET_FEE_MICRO_USD = 5_000;

const charging =
  (...reasons: Reason[]) =>
  ({ clock }: FaultScene) =>
    onRefused(reasons, ({ account, worker }) => {
      const [microUsd, atMs] = [SECRET_FEE_MICRO_USD, wholeMs(clock)];
      account.charge({ job: "", worker: worker?.id ?? "", microUsd, atMs });
    });

/** The price is held before the body is looked at, and not released. */
const holding =
  (...reasons: Reason[]) =>
  () =>
    onRefused(reasons, ({ account, worker }) => {
      if (worker !== null) account.hold(worker.priceMicroUsd);
    });

const REFUSED_FAULTS: readonly Fault[] = [
  ...faultsOf("submit.malformed", {
    "answers-422": ["A malformed body is answered 422", answering("malformed", 422)],
    accepted: ["A malformed body is accepted", letting("malformed")],
    "array-accepted": ["A body that is an array is accepted", letting("malformed", isArray)],
  }),
  ...faultsOf("submit.missing-field", {
    "answers-422": ["A missing field is answered 422", answering("missing-field", 422)],
    accepted: ["A missing field is let pass", letting("missing-field")],
  }),
  ...faultsOf("submit.schema-violation", {
    "answers-400": ["A violated schema is answered 400", answering("schema-violation", 400)],
    accepted: ["A violated schema is let pass", letting("schema-violation")],
  }),
  ...faultsOf("submit.insufficient-credits", {
    accepted: ["An account without credits may run jobs", () => ({ affordable: () => true })],
    "first-accepted": [
      "The first job of an account without credits is accepted",
      () => {
        const known = new Set<object>();
        return {
          affordable(isSo, account) {
            const isFirst = !known.has(account);
            known.add(account);
            return isSo || isFirst;
          },
        };
      },
      { seenWith: ["webhook.delivered"] },
    ],
    "1-in-3": [
      "1 job in 3 of an account without credits is accepted",
      sometimes(3, (isTime) => ({ affordable: (isSo) => isSo || isTime() })),
    ],
    "answers-403": ["No credits: 403 in place of 402", answering("insufficient-credits", 403)],
  }),
  ...faultsOf("submit.rejected-runs-nothing", {
    "job-started": [
      "A job that was answered 422 or 400 runs",
      leaving(["schema-violation", "missing-field"]),
    ],
    "once-in-a-while": [
      "1 refused job in 2 runs",
      leaving(["schema-violation", "missing-field", "malformed"], 2),
      { curve: true },
    ],
    charged: [
      "A refused submission costs half a credit",
      charging("schema-violation", "missing-field"),
    ],
    "malformed-charged": ["A malformed body costs half a credit", charging("malformed")],
    "price-held": [
      "The price of a submission that is answered 400 or 422 stays held",
      holding("schema-violation", "missing-field"),
    ],
    "unknown-worker-charged": [
      "A submission to an unknown worker costs half a credit",
      charging("unknown-worker"),
    ],
    "without-credits-charged": [
      "A submission of an account without credits costs half a credit",
      charging("insufficient-credits"),
    ],
    "beyond-limit-charged": [
      "A submission that is answered 429 costs half a credit",
      charging("rate-limited"),
      UNDER_LOAD,
    ],
  }),
];

export const SUBMIT_FAULTS: readonly Fault[] = [...ACCEPTED_FAULTS, ...REFUSED_FAULTS];
