/** The service levels that error budgets are kept for; rules, boards and documents read it. */

interface Objective {
  title: string;
  /** The alert on its budget. */
  alert: string;
  /** What counts as bad. */
  bad: string;
  /** What those on call read first; of latencies it ends where the bound follows. */
  symptom: string;
  /** What to rule out first, in a sentence; left out where it is the service's for sure. */
  first?: string;
}

interface EventObjective extends Objective {
  name: "canary-success" | "api-available" | "webhook-delivered";
  kind: "events";
}

export interface LatencyObjective extends Objective {
  name: "queue-wait" | "job-duration" | "webhook-delay";
  kind: "latency";
  /** Histogram of the catalogue. */
  metric: string;
  /** Share of events within the bound, in per cent. */
  objective: number;
  /** A bucket's upper bound, in seconds. */
  seconds: number;
}

export type LatencyName = LatencyObjective["name"];
export type ServiceObjective = EventObjective | LatencyObjective;

/** The probe counts their events, and exports the objectives that the target file sets. */
const EVENT_OBJECTIVES: readonly EventObjective[] = [
  {
    name: "canary-success",
    kind: "events",
    title: "Canary success",
    alert: "PlumblineCanarySuccessBurn",
    bad: "a canary run that ended in the wrong state, with a wrong result, late or never",
    symptom: "Canary runs fail",
  },
  {
    name: "api-available",
    kind: "events",
    title: "API available",
    alert: "PlumblineApiAvailableBurn",
    bad: "a failed check of account, credits, worker list or job list",
    symptom: "API checks fail",
  },
  {
    name: "webhook-delivered",
    kind: "events",
    title: "Webhooks delivered",
    alert: "PlumblineWebhookDeliveredBurn",
    bad: "an ended job whose webhook never arrived, or arrived with a wrong signature",
    symptom: "Webhooks do not arrive, or with a wrong signature",
    first: "If no job's webhook arrives, first make sure that the probe's receiver can be reached.",
  },
];

/** Counted from histograms. Bounds and objectives are ours: a starting point. */
export const LATENCY_OBJECTIVES: readonly LatencyObjective[] = [
  {
    name: "queue-wait",
    kind: "latency",
    title: "Queue wait",
    alert: "PlumblineQueueWaitBurn",
    bad: "a job that was queued for longer, or still queued at its deadline",
    symptom: "Jobs are queued for more than",
    metric: "plumbline_job_transition_seconds",
    objective: 99,
    seconds: 10,
  },
  {
    name: "job-duration",
    kind: "latency",
    title: "Job duration",
    alert: "PlumblineJobDurationBurn",
    bad: "a run of a timed canary that ended, but took longer from submission to verdict",
    symptom: "Canary runs take more than",
    metric: "plumbline_canary_duration_seconds",
    objective: 99,
    seconds: 30,
  },
  {
    name: "webhook-delay",
    kind: "latency",
    title: "Webhook delay",
    alert: "PlumblineWebhookDelayBurn",
    bad: "a webhook that arrived later after the job's end",
    symptom: "Webhooks are late by more than",
    metric: "plumbline_webhook_delay_seconds",
    objective: 99,
    seconds: 10,
  },
];

export const SERVICE_OBJECTIVES: readonly ServiceObjective[] = [
  ...EVENT_OBJECTIVES,
  ...LATENCY_OBJECTIVES,
];
