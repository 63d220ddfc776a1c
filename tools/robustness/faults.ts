/**
 * What may go wrong around the suite, and which of its programs that can reach. A test names the
 * cells that it proves by `covers` (`covers.ts`); docs/robustness.md is the table of them.
 */

export const PARTIES = ["probe", "gate", "receiver", "reference"] as const;

export type Party = (typeof PARTIES)[number];

interface RobustnessFault {
  group: string;
  title: string;
  /** Programs that it can strike at all. */
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
    holds: "nothing was sent, and nothing counts as sent; a webhook is sent again on schedule",
  },
  2: {
    group: NETWORK,
    title: "reset in mid-body",
    reaches: ALL,
    holds: "half an answer is none; a submission may have been taken, half a body never is",
  },
  3: {
    group: NETWORK,
    title: "black hole: connected, and never a word",
    reaches: ALL,
    holds: "given up at a stated limit; nobody else waits",
  },
  4: {
    group: NETWORK,
    title: "header that comes byte by byte",
    reaches: ALL,
    holds: "the limit is that of the whole answer or request",
  },
  5: {
    group: NETWORK,
    title: "dripping body",
    reaches: ALL,
    holds: "the limit is that of the whole answer or request",
  },
  6: {
    group: NETWORK,
    title: "packets of a byte each",
    reaches: ALL,
    holds: "what is whole is read as if it had come at once, also within a character",
  },
  7: {
    group: NETWORK,
    title: "bandwidth cap",
    reaches: ALL,
    holds: "what comes within its limit counts; a reader that takes nothing holds nobody up",
  },
  8: {
    group: NETWORK,
    title: "kept connection that the other side closes under a request",
    reaches: JUDGES,
    holds: "no submission is sent twice, and none is lost silently",
  },
  9: {
    group: NETWORK,
    title: "name that does not resolve",
    reaches: SENDERS,
    holds: "reported as that; nothing counts as sent",
  },
  10: {
    group: NETWORK,
    title: "address that changes in mid-run",
    reaches: JUDGES,
    holds: "requests go to the new address without a restart",
  },
  11: {
    group: NETWORK,
    title: "certificate that has expired",
    reaches: SENDERS,
    holds: "no key and no body is sent; no promise of the service's breaks",
  },
  12: {
    group: NETWORK,
    title: "certificate of another host",
    reaches: SENDERS,
    holds: "no key and no body is sent; no promise of the service's breaks",
  },
  13: {
    group: NETWORK,
    title: "redirects: to another host, and round and round",
    reaches: SENDERS,
    holds: "the key never follows; rounds end",
  },
  14: {
    group: BODIES,
    title: "oversized body",
    reaches: ALL,
    holds: "memory stays bounded; what is cut is reported as cut, or is no answer",
  },
  15: {
    group: BODIES,
    title: "gzip bomb",
    reaches: ALL,
    holds: "memory stays bounded; what is too long unpacked is no answer",
  },
  16: {
    group: BODIES,
    title: "truncated body",
    reaches: ALL,
    holds: "half a body is none, or is reported as half",
  },
  17: {
    group: BODIES,
    title: "HTML where JSON belongs, with 200",
    reaches: ALL,
    holds: "it is no job, no result and no input, whatever its status",
  },
  18: {
    group: BODIES,
    title: "invalid UTF-8",
    reaches: ALL,
    holds: "read without throwing; signatures are of the bytes as they came",
  },
  19: {
    group: BODIES,
    title: "deep nesting",
    reaches: ALL,
    holds: "no stack overflows; judged, or said not to be",
  },
  20: {
    group: BODIES,
    title: "`__proto__` and `constructor` as names",
    reaches: ALL,
    holds: "they are names like others, and reach no prototype",
  },
  21: {
    group: BODIES,
    title: "huge or odd identifiers",
    reaches: ALL,
    holds: "asked for as they are; no path, log line, label or page takes them for more than text",
  },
  22: {
    group: BODIES,
    title: "unknown state, or the other variant in mid-run",
    reaches: JUDGES,
    holds: "reported as what it is; followed all the same",
  },
  23: {
    group: BODIES,
    title: "job that leaves a terminal state",
    reaches: JUDGES,
    holds: "the promise breaks; the end that was seen stands",
  },
  24: {
    group: BODIES,
    title: "costs of null, below zero, NaN and 1e308",
    reaches: SENDERS,
    holds: "no budget grows by them, none is exceeded, no sum becomes NaN",
  },
  25: {
    group: API,
    title: "bursts of status 500",
    reaches: SENDERS,
    holds: "they are the service's failure, and nobody else's; nothing is lost by them",
  },
  26: {
    group: API,
    title: "429 with a bad Retry-After, or a date",
    reaches: JUDGES,
    holds: "a date is kept to; a bad one breaks its promise and stops nobody for long",
  },
  27: {
    group: API,
    title: "401 in mid-run",
    reaches: JUDGES,
    holds: "reported as the key's, not as the job's; no job counts as lost",
  },
  28: {
    group: API,
    title: "402 in mid-run",
    reaches: JUDGES,
    holds: "reported as the credits'; submitting stops, and no job counts as lost",
  },
  29: {
    group: API,
    title: "404 after 202",
    reaches: JUDGES,
    holds: "the job counts as lost, and stays charged",
  },
  30: {
    group: API,
    title: "job that never ends",
    reaches: JUDGES,
    holds: "given up in time, reported, and never kept",
  },
  31: {
    group: API,
    title: "submission whose answer is lost",
    reaches: JUDGES,
    holds: "not sent again; its job is looked for, and charged as long as it may exist",
  },
  32: {
    group: PROCESS,
    title: "SIGTERM",
    reaches: ALL,
    holds: "ends in time, with what was seen so far",
  },
  33: {
    group: PROCESS,
    title: "SIGKILL in flight",
    reaches: READERS,
    holds: "no job is lost or sent twice, no budget exceeded, nothing goes on alone",
  },
  34: {
    group: PROCESS,
    title: "torn journal or evidence",
    reaches: JUDGES,
    holds: "what was committed is there; never green by what is missing",
  },
  35: {
    group: PROCESS,
    title: "full disk",
    reaches: JUDGES,
    holds: "nothing is begun that can't be recorded; reported, and no pass",
  },
  36: {
    group: PROCESS,
    title: "port taken",
    reaches: ALL,
    holds: "reported with the address; ends, or goes on without",
  },
  37: {
    group: PROCESS,
    title: "out of file descriptors",
    reaches: ALL,
    holds: "never the service's failure; works again once there are some",
  },
  38: {
    group: PROCESS,
    title: "wall clock that steps by an hour",
    reaches: ALL,
    holds: "durations, limits and waits are those of a monotonic clock",
  },
  39: {
    group: PROCESS,
    title: "stall or suspension",
    reaches: ALL,
    holds: "noticed, and held against nobody; goes on afterwards",
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
    holds: "reported as forged; counts for no job, and breaks nothing but `webhook.signed`",
  },
  42: {
    group: WEBHOOKS,
    title: "replayed delivery",
    reaches: READERS,
    holds: "each is kept apart; a job's end is counted once",
  },
  43: {
    group: WEBHOOKS,
    title: "deliveries twice, out of order, never",
    reaches: READERS,
    holds: "each breaks its own promise, and no other",
  },
  44: {
    group: WEBHOOKS,
    title: "flood and oversize",
    reaches: ALL,
    holds: "memory stays bounded; who is not of the flood is answered",
  },
  45: {
    group: WEBHOOKS,
    title: "webhook URL as a way into the network",
    reaches: ["receiver", "reference"],
    holds: "nothing is sent to an address that was not allowed",
  },
  46: {
    group: WEBHOOKS,
    title: "label injection",
    reaches: JUDGES,
    holds: "a value stays a value",
  },
  47: {
    group: WEBHOOKS,
    title: "cardinality bomb of identifiers and states",
    reaches: READERS,
    holds: "the number of series and tokens has a bound",
  },
  48: {
    group: WEBHOOKS,
    title: "the key in any output",
    reaches: READERS,
    holds: "no file, log, page, metric or argument holds a secret, in any spelling",
  },
} as const satisfies Readonly<Record<number, RobustnessFault>>;

export type FaultNumber = keyof typeof FAULTS;

/** A fault and a program that it can reach, such as `"13 gate"`. */
export type Cell = {
  [Number in FaultNumber]: `${Number} ${(typeof FAULTS)[Number]["reaches"][number]}`;
}[FaultNumber];
