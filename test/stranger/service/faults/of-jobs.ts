/** Faults of jobs on their way, and of what is told and charged for them. */

import { always, oneIn, only } from "./fault.ts";

export const JOB_FAULTS = {
  "open-jobs-answered-202": only("jobs that have not ended", "job.shape"),
  "internal-id-leaks": { ...oneIn(20, "job.same-id"), variant: "B" },
  "stuck-in-queue": {
    ...oneIn(100, "load.no-losses", "job.never-lost"),
    askedWith: ["load.no-losses"],
  },
  "one-replica-lost-the-job": { ...oneIn(10, "job.never-lost"), askedWith: ["load.no-losses"] },
  "single-polls-miss-the-job": {
    ...oneIn(50, "job.never-lost"),
    when: "polls",
    askedWith: ["load.no-losses"],
  },
  "running-jobs-locked": {
    ...only("jobs that run", "job.never-lost"),
    askedWith: ["cancel.queued"],
  },
  "running-jobs-500": { ...only("jobs that run", "job.never-lost"), askedWith: ["cancel.queued"] },
  "polls-forbidden-at-times": { ...oneIn(30, "job.never-lost"), when: "polls" },
  "finished-jobs-evicted": {
    ...only("45 s after the end", "job.never-lost", "load.no-losses"),
    askedWith: ["load.no-losses"],
  },
  "short-queue-drops": {
    ...only("two jobs waiting", "job.never-lost", "load.no-losses"),
    missed: "only a run of all promises makes so long a queue, and not each of them does",
  },
  "other-spelling": oneIn(20, "job.known-states"),
  "cancelled-misspelt": {
    ...only("cancelled jobs", "job.known-states"),
    askedWith: ["load.no-losses"],
  },
  "requeued-after-crash": oneIn(30, "job.forward-only"),
  "replica-behind-others": oneIn(3, "job.forward-only", "job.terminal-final"),
  "late-watchdog": { ...oneIn(20, "job.terminal-final"), askedWith: ["load.no-losses"] },
  "price-corrected-later": only("12 s after the end", "job.terminal-final"),
  "output-stored-after-state": {
    ...only("the first 1.2 s after the end", "job.terminal-final"),
    variant: "B",
  },
  "files-listed-after-state": {
    ...only("the first 1.2 s after the end", "job.terminal-final"),
    variant: "B",
  },
  "result-archived-away": only("15 s after the end", "job.terminal-final"),
  "evicted-after-3-min": { ...always("job.never-lost"), askedWith: "all" },
  "result-expires-after-3-min": { ...always("job.terminal-final"), askedWith: "all" },
  "zombie-run-overwrites": {
    ...only("once the run is over", "job.terminal-final"),
    askedWith: "all",
  },
  "undelivered-job-fails": {
    ...only("completed jobs whose webhook was given up", "job.terminal-final"),
    askedWith: "all",
  },
  "empty-result-is-null": only("workers without output", "job.result-present"),
  "no-items-is-null": { ...only("workers that list nothing", "job.result-present"), variant: "B" },
  "list-items-as-text": { ...only("lists", "job.result-present"), variant: "B" },
  "error-of-first-try-stays": oneIn(20, "job.error-only-on-failure"),
  "failure-without-message": {
    ...oneIn(4, "job.error-only-on-failure"),
    askedWith: ["load.no-losses"],
  },
  "runner-clock-ahead": { ...oneIn(3, "job.timestamps"), variant: "B" },
  "one-node-an-hour-ahead": oneIn(5, "job.timestamps", "job.duration"),
  "submission-restamped-at-start": {
    ...only("jobs that wait", "job.shape"),
    variant: "B",
    askedWith: ["job.never-lost", "cancel.queued", "cancel.not-running"],
  },
  "submitted-when-the-process-began": {
    ...always("job.timestamps"),
    askedWith: ["job.list-limit", "cancel.queued"],
  },
  "unpadded-milliseconds": { ...only("1 stamp in 10", "job.timestamps"), variant: "B" },
  "zoneless-at-second-59": {
    ...only("1 s in 60", "job.timestamps", "submit.accepted-shape"),
    askedWith: ["load.no-losses"],
  },
  "duration-in-seconds": { ...only("runs over 1 s", "job.duration"), variant: "B" },
  "run-counted-from-submission": {
    ...only("jobs that wait", "job.duration"),
    variant: "B",
    askedWith: ["cancel.queued"],
  },
  "duration-cut-to-seconds": { ...always("job.duration"), variant: "B" },
  "duration-in-tenths": { ...always("job.duration"), variant: "B" },
  "duration-wraps": { ...only("runs over 4 s", "job.duration"), variant: "B" },
  "second-file-untyped": { ...only("second files", "job.files"), variant: "B" },
  "size-in-characters": {
    ...only("files with more than ASCII", "job.files-readable"),
    variant: "B",
    choices: ["unicodeOutput=yes"],
  },
  "file-address-expired": { ...always("job.files-readable"), variant: "B" },
  "file-sent-short": { ...always("job.files-readable"), variant: "B" },
  "file-signed-with-old-key": {
    ...oneIn(4, "job.files-readable"),
    variant: "B",
    askedWith: ["load.no-losses"],
  },
  "file-half-stored": {
    ...oneIn(4, "job.files-readable"),
    variant: "B",
    askedWith: ["load.no-losses"],
  },
  "failed-cost-negative": only("failed jobs", "job.cost"),
  "failed-billed-by-no-mode": { ...only("failed jobs", "job.shape"), variant: "B" },
  "total-rounded-to-halves": { ...always("job.cost"), variant: "B" },
  "result-of-the-slots-last-job": oneIn(30, "job.own-result"),
  "result-in-nfd-at-times": oneIn(3, "job.own-result"),
  "result-cached-by-length": only("inputs of one length", "job.own-result"),
  "empty-runs-leave-a-buffer": only("workers without output", "job.own-result"),
  "runs-twice": { ...oneIn(20, "job.run-once", "load.accounting"), askedWith: ["load.accounting"] },
  "timeout-told-as-failure": oneIn(10, "timeout.fires", "timeout.under-load"),
  "deadline-shrinks-when-busy": only("over 15 runs at once", "timeout.under-load"),
  "reaper-each-minute": always("timeout.not-late"),
  "webhook-limit-is-the-jobs": {
    ...only("jobs with a webhook", "timeout.not-early"),
    askedWith: ["webhook.delivered"],
  },
  "deadline-from-submission": only("jobs that wait for 8 others", "timeout.not-early"),
  "timeout-costs": oneIn(10, "timeout.free", "timeout.under-load"),
  "zombie-run-billed": { ...only("once the run is over", "timeout.free"), askedWith: "all" },
  "later-timeouts-on-the-balance": {
    ...only("timeouts after the first 30", "timeout.free"),
    choices: ["billing=hold", "timeoutHolds=last-on"],
    missed: "it is left in doubt, as others may have used the account once",
  },
  "timeout-given-back-twice": always("timeout.free", "load.accounting"),
  "timeout-on-the-balance": always("timeout.free", "load.accounting"),
  "hold-kept-on-cancel": {
    ...only("cancelled jobs", "load.accounting"),
    choices: ["billing=hold"],
  },
  "hold-kept-on-failure": {
    ...only("failed jobs", "load.accounting"),
    choices: ["billing=hold", "balanceParts=with-held"],
  },
  "second-cancel-refunds": only("cancelled jobs", "load.accounting"),
  "cancel-acknowledged-and-lost": {
    ...oneIn(3, "cancel.queued"),
    askedWith: ["webhook.delivered"],
  },
  "cancelled-runs-anyway": always("cancel.queued"),
  "cancelled-runs-under-load": {
    ...oneIn(5, "cancel.queued", "job.terminal-final"),
    when: "jobs cancelled after 60 others",
    askedWith: ["load.no-losses"],
  },
  "cancelled-runs-a-minute-later": {
    ...always("cancel.queued", "job.terminal-final"),
    askedWith: "all",
  },
  "cancel-kills-young-runs": only("the first 2.5 s of a run", "cancel.not-running"),
  "cancel-overwrites-fresh-end": {
    ...only("within 5 s of the end", "cancel.not-terminal"),
    askedWith: ["load.no-losses"],
  },
  "cancel-restamps-the-end": only("jobs that ended", "cancel.not-terminal"),
  "failure-leaks-a-slot": only(
    "after 60 failures",
    "load.throughput",
    "load.no-losses",
    "load.stable",
    "load.latency",
  ),
  "settlement-lost-update": {
    ...only("two ends within 12 ms", "load.accounting"),
    variant: "A",
  },
  "settlement-consumed-twice": {
    ...oneIn(10, "load.accounting"),
    variant: "B",
    choices: ["creditWorth=cent"],
  },
  "ledger-rounds-to-halves": {
    ...always("load.accounting", "job.run-once"),
    askedWith: ["load.accounting"],
  },
  "charged-at-each-webhook-retry": {
    ...only("webhooks that are retried", "job.run-once", "load.accounting"),
    askedWith: ["load.accounting"],
  },
} as const;
