/** All faults of the embedded service, by the group of the promise that they break. */

import { ACCOUNT_FAULTS } from "./account.ts";
import { ALMOST_RIGHT_FAULTS } from "./almost-right.ts";
import { AUTH_FAULTS } from "./auth.ts";
import { CANCEL_FAULTS } from "./cancel.ts";
import type { Fault } from "./fault.ts";
import { INPUT_BOUND_FAULTS } from "./input-bounds.ts";
import { JOB_FAULTS } from "./job.ts";
import { JOB_LIST_FAULTS } from "./job-lists.ts";
import { JOB_RESULT_FAULTS } from "./job-results.ts";
import { JOB_TIME_FAULTS } from "./job-times.ts";
import { LOAD_FAULTS } from "./load.ts";
import { MANGLED_FAULTS } from "./mangled.ts";
import { MANY_JOBS_FAULTS } from "./many-jobs.ts";
import { MUCH_DONE_FAULTS } from "./much-done.ts";
import { ONE_PLAN_FAULTS } from "./one-plan.ts";
import { OTHER_END_FAULTS } from "./other-ends.ts";
import { RATE_FAULTS } from "./rate.ts";
import { RERUN_FAULTS } from "./reruns.ts";
import { SUBMIT_FAULTS } from "./submit.ts";
import { TIMEOUT_FAULTS } from "./timeout.ts";
import { WEBHOOK_FAULTS } from "./webhook.ts";
import { WEBHOOK_ATTEMPT_FAULTS } from "./webhook-attempts.ts";
import { WEBHOOK_RETRY_FAULTS } from "./webhook-retries.ts";
import { WORKERS_FAULTS } from "./workers.ts";

export const FAULTS: readonly Fault[] = [
  ...AUTH_FAULTS,
  ...ACCOUNT_FAULTS,
  ...WORKERS_FAULTS,
  ...SUBMIT_FAULTS,
  ...JOB_FAULTS,
  ...JOB_RESULT_FAULTS,
  ...MANGLED_FAULTS,
  ...JOB_TIME_FAULTS,
  ...RERUN_FAULTS,
  ...JOB_LIST_FAULTS,
  ...TIMEOUT_FAULTS,
  ...CANCEL_FAULTS,
  ...WEBHOOK_FAULTS,
  ...WEBHOOK_RETRY_FAULTS,
  ...WEBHOOK_ATTEMPT_FAULTS,
  ...RATE_FAULTS,
  ...LOAD_FAULTS,
  ...ALMOST_RIGHT_FAULTS,
  ...INPUT_BOUND_FAULTS,
  ...OTHER_END_FAULTS,
  ...MANY_JOBS_FAULTS,
  ...MUCH_DONE_FAULTS,
  ...ONE_PLAN_FAULTS,
];
