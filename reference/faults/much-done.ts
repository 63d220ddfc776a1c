/**
 * Faults that begin when a service has much to do, or has done much: what it promises of a single
 * job or request is right until then.
 */

import { LISTED_JOBS_MAX } from "../../contract/plans.ts";
import type { BodyProblem } from "../catalogue/validation.ts";
import type { AuthOutcome, Hooks } from "../hooks.ts";
import type { Answer, Reason, RequestFacts } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import { isDone } from "../jobs/job.ts";
import { all, because, onAnswer, without, withStatus } from "./answers.ts";
import { serving } from "./auth.ts";
import { loadOf } from "./current-load.ts";
import { type Fault, type FaultScene, faults, faultsOf, UNDER_LOAD } from "./fault.ts";
import { any } from "./job-views.ts";
import { endlessAfterHangUp } from "./lost-jobs.ts";
import { onSubmitted } from "./submissions.ts";

/**
 * Ours: more than other scenarios submit, and about half of what a load does; on a scaled clock a
 * load is shorter (`loadPlan`), and four keys carry 160 jobs of it.
 */
const MANY_JOBS = { scaled: 80, realTime: 1_500 };
/** Ours: a strain that a load brings about, and single jobs do not. */
const STRAINED = 0.5;

type Bending = (isOn: () => boolean, scene: FaultScene) => Partial<Hooks>;

function manyJobs({ timeScale }: FaultScene): number {
  return timeScale < 1 ? MANY_JOBS.scaled : MANY_JOBS.realTime;
}

/** Hooks that bend once so many jobs were submitted. */
const afterManyJobs = (hooks: Bending) => (scene: FaultScene) => {
  const most = manyJobs(scene);
  let submitted = 0;
  return {
    ...hooks(() => submitted > most, scene),
    ...onSubmitted(() => {
      submitted += 1;
    }),
  };
};

/** Hooks that bend while many jobs come. */
const whileBusy = (hooks: Bending) => (scene: FaultScene) => {
  const load = loadOf(scene.clock);
  return { ...hooks(() => load.strain() > STRAINED, scene), ...onSubmitted(() => load.add()) };
};

const unretried: Bending = (isOn) => ({ retryWaitMs: (waitMs) => (isOn() ? null : waitMs) });

const opened =
  (refusal: AuthOutcome["refusal"], at: (request: RequestFacts) => boolean = any): Bending =>
  (isOn, scene) =>
    serving(refusal, (request) => isOn() && at(request))(scene);

/** The job list knows the jobs that came until then. */
function standing(scene: FaultScene): Partial<Hooks> {
  const most = manyJobs(scene);
  const late = new WeakSet<Job>();
  let submitted = 0;
  return {
    ...onSubmitted((job) => {
      submitted += 1;
      if (submitted > most) late.add(job);
    }),
    listed(_jobs, recent) {
      return recent
        .filter((job) => !late.has(job))
        .slice(-LISTED_JOBS_MAX)
        .toReversed();
    },
  };
}

const unsearched: Bending = (isOn) => ({
  found: (workers, _all, { query: { q, category } }, matching) =>
    isOn() && q !== undefined ? matching({ category }) : workers,
});

/** `sparesFirst`: not that of the first worker of all. */
const uncategorised =
  (sparesFirst: boolean): Bending =>
  (isOn) => ({
    found(workers, all, { query: { q, category } }, matching) {
      const isSpared = sparesFirst && category === all[0]?.category;
      return isOn() && category !== undefined && !isSpared ? matching({ q }) : workers;
    },
  });

const emptied: Bending = (isOn) => ({ listed: (jobs) => (isOn() ? [] : jobs) });

/** With the latest job of another account. */
const mixed: Bending = (isOn) => ({
  listed(jobs, _recent, strangers) {
    const stranger = isOn() ? strangers().at(-1) : undefined;
    return stranger === undefined ? jobs : [stranger, ...jobs.slice(0, LISTED_JOBS_MAX - 1)];
  },
});

/** A body that names the control parameter is let pass with this one problem. */
const unvalidatedBeside = (problem: BodyProblem, parameter: string) => (): Partial<Hooks> => ({
  bodyProblem: (found, _worker, { body }) =>
    found === problem && body.includes(`"${parameter}"`) ? null : found,
});

const unvalidated: Bending = (isOn) => ({
  bodyProblem: (problem) => (problem === "schema-violation" && isOn() ? null : problem),
});

const failing =
  (reason: Reason): Bending =>
  (isOn) =>
    onAnswer(all(because(reason), isOn), withStatus(500));

const page: Bending = (isOn) =>
  onAnswer(all(because("missing-key"), isOn), (answer) => ({
    ...answer,
    body: undefined,
    text: "<html><body>Unauthorized</body></html>",
  }));

const unlimited: Bending = (isOn) => ({
  decision: (decision) => (isOn() ? { ...decision, admitted: true } : decision),
});

const untimed: Bending = (isOn) =>
  onAnswer(all(because("rate-limited"), isOn), (answer) => ({
    ...answer,
    headers: without(answer.headers, "retry-after") as Answer["headers"],
  }));

const onCredit: Bending = (isOn) => ({ affordable: (affordable) => affordable || isOn() });

/** Ended jobs, too. */
const cancelling: Bending = (isOn) => ({
  cancel: (effect, job) => (effect === "refuse" && isDone(job) && isOn() ? "cancel" : effect),
});

const withoutPriorities: Bending = (isOn) => ({
  bodyProblem: (problem, _worker, { body }) =>
    problem === null && isOn() && body.includes('"priority"') ? "schema-violation" : problem,
});

const OPEN_TO_ALL = { companions: ["auth.every-endpoint"] } as const;
const SEEN_AFTER = { seenWith: ["load.no-losses", "auth.missing-key"] } as const;

/** What is wrong with one endpoint or one kind of key, by the names of their promises. */
const ALONE: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "auth.invalid-key/after-many-jobs": [
      "After many jobs an unknown key is served",
      afterManyJobs(opened("invalid-key")),
    ],
    "auth.revoked-key/after-many-jobs": [
      "After many jobs a revoked key is served",
      afterManyJobs(opened("revoked-key")),
    ],
    "auth.every-endpoint/after-many-jobs": [
      "After many jobs the job list needs no key",
      afterManyJobs(opened("missing-key", ({ route }) => route === "jobs")),
    ],
    "workers.unknown/after-many-jobs": [
      "After many jobs an unknown worker is answered 500",
      afterManyJobs(failing("unknown-worker")),
    ],
    "submit.malformed/after-many-jobs": [
      "After many jobs a malformed body is answered 500",
      afterManyJobs(failing("malformed")),
    ],
    "submit.schema-violation/after-many-jobs": [
      "After many jobs input that violates the schema is accepted",
      afterManyJobs(unvalidated),
    ],
    "submit.schema-violation/accepted-with-webhook": [
      "Input that violates the schema is accepted with a webhook",
      unvalidatedBeside("schema-violation", "webhook"),
    ],
    "submit.missing-field/accepted-with-priority": [
      "Input without a required field is accepted with a priority",
      unvalidatedBeside("missing-field", "priority"),
    ],
    "workers.text-filter/ignored-after-many-jobs": [
      "After many jobs the text query is ignored",
      afterManyJobs(unsearched),
    ],
    "workers.category-filter/ignored-while-busy": [
      "A busy service ignores the category",
      whileBusy(uncategorised(false)),
    ],
    "workers.category-filter/but-one-ignored-while-busy": [
      "A busy service ignores the category, but for that of the first worker",
      whileBusy(uncategorised(true)),
    ],
  }),
  ...faultsOf("load.no-losses", {
    "ends-with-its-connection": [
      "A job of a busy service never ends once its caller has closed the connection",
      whileBusy((isOn) => endlessAfterHangUp(isOn)),
      { companions: ["job.never-lost"] },
    ],
  }),
  ...faults(UNDER_LOAD, {
    "job.list-own/empty-while-busy": ["A busy service lists no jobs", whileBusy(emptied)],
    "job.list-own/stands-still": ["After many jobs the list stays as it is", standing],
    "job.list-own/empty-after-many-jobs": [
      "After many jobs the list is empty",
      afterManyJobs(emptied),
    ],
    "job.list-own/strangers-after-many-jobs": [
      "After many jobs the list shows a job of another account",
      afterManyJobs(mixed),
    ],
  }),
];

/** What requests beyond a limit meet, and cancels of ended jobs. */
const LIMITS_AND_CANCELS: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "rate.limited/after-many-jobs": ["After many jobs there is no limit", afterManyJobs(unlimited)],
    "rate.retry-after-present/after-many-jobs": [
      "After many jobs no 429 says when to come again",
      afterManyJobs(untimed),
    ],
    "submit.insufficient-credits/while-busy": [
      "A busy service lets an account without credits run jobs",
      whileBusy(onCredit),
    ],
    "submit.control-parameters/after-many-jobs": [
      "After many jobs a body with a priority is refused",
      afterManyJobs(withoutPriorities),
      { companions: ["load.throughput"] },
    ],
    "cancel.not-terminal/after-many-jobs": [
      "After many jobs one that has ended is cancelled",
      afterManyJobs(cancelling),
      // Whoever reads it later sees an end become another.
      { companions: ["job.terminal-final"] },
    ],
  }),
];

export const MUCH_DONE_FAULTS: readonly Fault[] = [
  ...ALONE,
  ...LIMITS_AND_CANCELS,
  ...faults(SEEN_AFTER, {
    "auth.missing-key/after-many-jobs": [
      "After many jobs no key is needed",
      afterManyJobs(opened("missing-key")),
      OPEN_TO_ALL,
    ],
    "auth.missing-key/while-busy": [
      "A busy service needs no key",
      whileBusy(opened("missing-key")),
      OPEN_TO_ALL,
    ],
    "auth.error-body/after-many-jobs": [
      "After many jobs a 401 has an HTML body",
      afterManyJobs(page),
    ],
    "job.unknown/after-many-jobs": [
      "After many jobs an unknown job is answered 500",
      afterManyJobs(failing("unknown-job")),
    ],
  }),
  ...faults(UNDER_LOAD, {
    "webhook.retried/not-after-many-jobs": [
      "After many jobs nothing is retried",
      afterManyJobs(unretried),
    ],
    "webhook.retried/not-while-busy": ["A busy service retries nothing", whileBusy(unretried)],
  }),
];
