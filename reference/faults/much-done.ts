/**
 * Faults that begin when a service has much to do, or has done much: what it promises of a single
 * job or request is right until then.
 */

import type { Hooks } from "../hooks.ts";
import type { Reason } from "../http.ts";
import { because, onAnswer, withStatus } from "./answers.ts";
import { loadOf } from "./current-load.ts";
import { type Fault, type FaultScene, faultsOf } from "./fault.ts";

/** Ours: more than the other scenarios submit, and well within what a load does. */
const MANY_JOBS = 1_500;
/** Ours: a strain that a load brings about, and single jobs do not. */
const STRAINED = 0.5;

type Bending = (isOn: () => boolean, scene: FaultScene) => Partial<Hooks>;

/** Hooks that bend once so many jobs were submitted. */
const afterManyJobs = (hooks: Bending) => (scene: FaultScene) => {
  let submitted = 0;
  return counting(
    () => {
      submitted += 1;
    },
    hooks(() => submitted > MANY_JOBS, scene),
  );
};

/** Hooks that bend while many jobs come. */
const whileBusy = (hooks: Bending) => (scene: FaultScene) => {
  const load = loadOf(scene.clock);
  return counting(
    () => load.add(),
    hooks(() => load.strain() > STRAINED, scene),
  );
};

function counting(count: () => void, hooks: Partial<Hooks>): Partial<Hooks> {
  return {
    ...hooks,
    queueMs(waitMs) {
      count();
      return waitMs;
    },
  };
}

const unretried: Bending = (isOn) => ({ retryWaitMs: (waitMs) => (isOn() ? null : waitMs) });

const opened: Bending = (isOn, { keys }) => ({
  authenticate(outcome) {
    const [key] = keys;
    const isLet = outcome.refusal === "missing-key" && isOn() && key !== undefined;
    return isLet ? { key, refusal: null } : outcome;
  },
});

const failing =
  (reason: Reason): Bending =>
  (isOn) =>
    onAnswer((context) => because(reason)(context) && isOn(), withStatus(500));

const page: Bending = (isOn) =>
  onAnswer(
    (context) => because("missing-key")(context) && isOn(),
    (answer) => ({ ...answer, body: undefined, text: "<html><body>Unauthorized</body></html>" }),
  );

const UNDER_LOAD = { seenWith: ["load.no-losses"] } as const;

const SEEN_AFTER = { seenWith: ["load.no-losses", "auth.missing-key"] } as const;

export const MUCH_DONE_FAULTS: readonly Fault[] = [
  ...faultsOf(
    "auth.missing-key",
    { "after-many-jobs": ["After 1,500 jobs no key is needed", afterManyJobs(opened)] },
    { ...SEEN_AFTER, companions: ["auth.every-endpoint"] },
  ),
  ...faultsOf(
    "auth.error-body",
    { "after-many-jobs": ["After 1,500 jobs a 401 is a page", afterManyJobs(page)] },
    SEEN_AFTER,
  ),
  ...faultsOf(
    "job.unknown",
    {
      "after-many-jobs": [
        "After 1,500 jobs an unknown job is answered 500",
        afterManyJobs(failing("unknown-job")),
      ],
    },
    SEEN_AFTER,
  ),
  ...faultsOf(
    "webhook.retried",
    {
      "not-after-many-jobs": ["After 1,500 jobs nothing is retried", afterManyJobs(unretried)],
      "not-while-busy": ["A busy service retries nothing", whileBusy(unretried)],
    },
    UNDER_LOAD,
  ),
];
