/**
 * Faults around the suite, and which of its programs each can affect. A test names the
 * cells that it proves by `covers` (`covers.ts`); docs/robustness.md is the table of them.
 */

export const PARTIES = ["probe", "gate", "receiver", "reference"] as const;

export type Party = (typeof PARTIES)[number];

interface RobustnessFault {
  group: string;
  title: string;
  /** Programs that it can affect. */
  reaches: readonly Party[];
  /** What must hold while it lasts, and after it. */
  holds: string;
}

const NETWORK = "Network";
const BODIES = "Bodies";
const API = "API";
const PROCESS = "Process";
const WEBHOOKS = "Webhooks and metrics";

const ALL = PARTIES;
const SENDERS = ["probe", "gate", "reference"] as const;
const JUDGES = ["probe", "gate"] as const;
const READERS = ["probe", "gate", "receiver"] as const;

export const FAULTS = {
  1: {
    group: NETWORK,
    title: "connection refused",
    reaches: SENDERS,
    holds: "nothing counts as sent; webhooks are retried on schedule",
  },
  2: {
    group: NETWORK,
    title: "connection reset in the middle of a body",
    reaches: ALL,
    holds:
      "half a response counts as none; the submission may have been accepted; half a body never is",
  },
  3: {
    group: NETWORK,
    title: "black hole: connected, but no response",
    reaches: ALL,
    holds: "the request fails at a stated time limit; nothing else waits for it",
  },
  4: {
    group: NETWORK,
    title: "header sent byte by byte",
    reaches: ALL,
    holds: "the time limit covers the whole response or request",
  },
  5: {
    group: NETWORK,
    title: "body sent byte by byte",
    reaches: ALL,
    holds: "the time limit covers the whole response or request",
  },
  6: {
    group: NETWORK,
    title: "packets of one byte each",
    reaches: ALL,
    holds: "a complete message is read as if it came at once, even if split within a character",
  },
  7: {
    group: NETWORK,
    title: "bandwidth cap",
    reaches: ALL,
    holds: "what arrives within its time limit counts; a reader that stops blocks nobody else",
  },
  8: {
    group: NETWORK,
    title: "keep-alive connection that the peer closes during a request",
    reaches: SENDERS,
    holds: "no submission or delivery is sent twice, and none is lost silently",
  },
  9: {
    group: NETWORK,
    title: "host name that does not resolve",
    reaches: SENDERS,
    holds: "reported as such; nothing counts as sent",
  },
  10: {
    group: NETWORK,
    title: "address that changes during a run",
    reaches: JUDGES,
    holds: "requests go to the new address without a restart",
  },
  11: {
    group: NETWORK,
    title: "expired certificate",
    reaches: SENDERS,
    holds: "no key and no body is sent; no promise of the service is broken",
  },
  12: {
    group: NETWORK,
    title: "certificate of another host",
    reaches: SENDERS,
    holds: "no key and no body is sent; no promise of the service is broken",
  },
  13: {
    group: NETWORK,
    title: "redirects to another host, or in a loop",
    reaches: SENDERS,
    holds: "the key is never sent to the other host; loops end",
  },
  14: {
    group: BODIES,
    title: "oversized body",
    reaches: ALL,
    holds: "memory stays bounded; a truncated body is reported as truncated, or rejected",
  },
  15: {
    group: BODIES,
    title: "gzip bomb",
    reaches: ALL,
    holds: "memory stays bounded; a body that is too long when decompressed is rejected",
  },
  16: {
    group: BODIES,
    title: "truncated body",
    reaches: ALL,
    holds: "a truncated body counts as none, or is reported as truncated",
  },
  17: {
    group: BODIES,
    title: "HTML in place of JSON, with status 200",
    reaches: ALL,
    holds: "it is accepted as no job, result or input, whatever the status",
  },
  18: {
    group: BODIES,
    title: "invalid UTF-8",
    reaches: ALL,
    holds: "read without an exception; signatures are checked on the original bytes",
  },
  19: {
    group: BODIES,
    title: "deep nesting",
    reaches: ALL,
    holds: "the stack does not overflow; the body is judged, or reported as not judged",
  },
  20: {
    group: BODIES,
    title: "`__proto__` and `constructor` as property names",
    reaches: ALL,
    holds: "they are treated like other names, and change no prototype",
  },
  21: {
    group: BODIES,
    title: "very long or unusual identifiers",
    reaches: ALL,
    holds: "requested unchanged; paths, log lines, labels and pages treat them as plain text",
  },
  22: {
    group: BODIES,
    title: "unknown state, or the other variant during a run",
    reaches: JUDGES,
    holds: "reported as such; the job is still followed",
  },
  23: {
    group: BODIES,
    title: "job that leaves a terminal state",
    reaches: JUDGES,
    holds: "the promise is broken; the first terminal state stays valid",
  },
  24: {
    group: BODIES,
    title: "costs that are null, negative, NaN or 1e308",
    reaches: SENDERS,
    holds: "they increase no budget; no budget is exceeded; no sum becomes NaN",
  },
  25: {
    group: API,
    title: "series of 500 responses",
    reaches: SENDERS,
    holds: "they count as failures of the service only; no data is lost",
  },
  26: {
    group: API,
    title: "429 with an invalid Retry-After, or with a date",
    reaches: JUDGES,
    holds: "a date is honoured; an invalid value breaks its promise and delays nothing for long",
  },
  27: {
    group: API,
    title: "401 during a run",
    reaches: JUDGES,
    holds: "reported as a problem of the key, not of the job; no job counts as lost",
  },
  28: {
    group: API,
    title: "402 during a run",
    reaches: JUDGES,
    holds:
      "reported as a lack of credits; no job counts as lost; a gate stops its submissions, a " +
      "probe sends each run's submission once, and charges none that is refused",
  },
  29: {
    group: API,
    title: "404 after 202",
    reaches: JUDGES,
    holds: "the job counts as lost, and stays charged to the budget",
  },
  30: {
    group: API,
    title: "job that never ends",
    reaches: JUDGES,
    holds: "given up in time and reported; the promise is never kept",
  },
  31: {
    group: API,
    title: "submission whose response is lost",
    reaches: JUDGES,
    holds: "not sent again; the job is searched for, and stays charged as long as it may exist",
  },
  32: {
    group: PROCESS,
    title: "SIGTERM",
    reaches: ALL,
    holds: "the program ends in time and reports what it observed so far",
  },
  33: {
    group: PROCESS,
    title: "SIGKILL while jobs are in flight",
    reaches: READERS,
    holds:
      "a probe loses no job, sends none twice and exceeds no budget; a gate leaves no child " +
      "process behind, and the next one clears up; a receiver begins anew",
  },
  34: {
    group: PROCESS,
    title: "damaged journal or evidence",
    reaches: JUDGES,
    holds: "committed records survive; missing records never lead to a pass",
  },
  35: {
    group: PROCESS,
    title: "full disk",
    reaches: JUDGES,
    holds:
      "nothing starts that can't be recorded; the fault is reported, and the run does not pass",
  },
  36: {
    group: PROCESS,
    title: "port in use",
    reaches: ALL,
    holds: "reported with the address; the program ends, or continues without it",
  },
  37: {
    group: PROCESS,
    title: "out of file descriptors",
    reaches: ALL,
    holds: "never counts as a failure of the service; works again once there are some",
  },
  38: {
    group: PROCESS,
    title: "wall clock set by an hour",
    reaches: ALL,
    holds: "durations, limits and waits follow a monotonic clock",
  },
  39: {
    group: PROCESS,
    title: "stalled or suspended machine",
    reaches: ALL,
    holds: "detected, and not counted against the service; the program continues afterwards",
  },
  40: {
    group: PROCESS,
    title: "growth over a week",
    reaches: ["probe", "receiver", "reference"],
    holds: "memory, files and series stay bounded",
  },
  41: {
    group: WEBHOOKS,
    title: "forged signature",
    reaches: READERS,
    holds: "reported as forged; counts for no job, and breaks only `webhook.signed`",
  },
  42: {
    group: WEBHOOKS,
    title: "replayed delivery",
    reaches: READERS,
    holds: "each delivery is recorded; the job's end is counted once",
  },
  43: {
    group: WEBHOOKS,
    title: "deliveries repeated, out of order, or missing",
    reaches: READERS,
    holds: "each breaks its own promise, and no other",
  },
  44: {
    group: WEBHOOKS,
    title: "flood of requests, oversized bodies",
    reaches: ALL,
    holds: "memory stays bounded; other clients are still answered",
  },
  45: {
    group: WEBHOOKS,
    title: "webhook URL that points into the internal network",
    reaches: ["receiver", "reference"],
    holds: "nothing is sent to an address that is not allowed",
  },
  46: {
    group: WEBHOOKS,
    title: "label injection",
    reaches: JUDGES,
    holds: "a label value can't become anything else",
  },
  47: {
    group: WEBHOOKS,
    title: "very many different identifiers and states",
    reaches: READERS,
    holds: "the number of series and tokens is bounded",
  },
  48: {
    group: WEBHOOKS,
    title: "the key in any output",
    reaches: READERS,
    holds: "no file, log, page, metric or argument contains a secret, in any encoding",
  },
} as const satisfies Readonly<Record<number, RobustnessFault>>;

export type FaultNumber = keyof typeof FAULTS;

/** A fault and a program that it can reach, such as `"13 gate"`. */
export type Cell = {
  [Number in FaultNumber]: `${Number} ${(typeof FAULTS)[Number]["reaches"][number]}`;
}[FaultNumber];
