/** Faults of keys, limits, and of answers as such. */

import { always, oneIn, only } from "./fault.ts";

export const GATEWAY_FAULTS = {
  "revoked-key-publishes": only("publications", "auth.revoked-key"),
  "revoked-key-reads-jobs": {
    ...only("GET /v1/jobs/{job_uuid}", "auth.revoked-key"),
    askedWith: ["load.no-losses"],
  },
  "revoked-key-cached": oneIn(3, "auth.revoked-key"),
  "key-cache-misses": {
    ...oneIn(600, "account.readable"),
    askedWith: ["rate.limited", "rate.within-plan"],
  },
  "keys-compared-caseless": always("auth.invalid-key"),
  "key-with-a-tail": always("auth.invalid-key"),
  "empty-key-is-guest": always("auth.missing-key", "auth.invalid-key"),
  "connection-remembers-key": only(
    "connections that were used with a key",
    "auth.missing-key",
    "auth.every-endpoint",
  ),
  "plain-401-of-gateway": oneIn(10, "auth.error-body"),
  "status-as-text-when-revoked": only("revoked keys", "auth.error-body"),
  "upper-case-header-unread": only("X-API-KEY", "auth.header-case"),
  "upper-case-header-unread-by-writes": only("X-API-KEY of a POST", "auth.header-case"),
  "job-list-open": only("GET /v1/jobs", "auth.every-endpoint", "auth.missing-key"),
  "deployments-open": only("GET /v1/me/deployments", "auth.every-endpoint", "auth.missing-key"),
  "upstream-500": oneIn(200, "load.errors"),
  "overload-503-for-429": oneIn(15, "rate.limited"),
  "overload-503-of-lists": only("job lists", "rate.limited"),
  "pro-refilled-too-fast": only("plan pro", "rate.sustained"),
  "pro-burst-short": only("plan pro", "rate.burst"),
  "free-burst-off-by-three": only("plan free", "rate.burst"),
  "minute-quota-too-small": {
    ...only("after 51 s at the sustained rate", "rate.sustained", "rate.within-plan"),
    askedWith: "all",
  },
  "bucket-per-replica": always("rate.burst", "rate.sustained"),
  "refused-by-chance": oneIn(100, "rate.within-plan", "rate.burst"),
  "limit-per-account": only("keys of one account", "rate.per-key"),
  "limit-per-plan-shard": only("keys of one plan", "rate.per-key"),
  "limit-per-connection": always("rate.all-endpoints", "rate.burst", "rate.limited"),
  "job-reads-uncounted": only("GET /v1/jobs/{job_uuid}", "rate.all-endpoints"),
  "cancels-uncounted": only("cancels", "rate.all-endpoints"),
  "posts-uncounted": only("submissions", "rate.all-endpoints", "rate.limited"),
  "retry-after-missing-on-posts": only("submissions", "rate.retry-after-present"),
  "retry-after-zero-on-lists": only("job lists", "rate.retry-after-sufficient"),
  "retry-after-fraction": always("rate.retry-after-valid"),
  "retry-after-floored": always("rate.retry-after-sufficient"),
  "retry-after-in-milliseconds": always("rate.retry-after-not-excessive"),
  "refused-submission-runs": always("rate.rejected-not-run"),
  "refused-submission-is-queued": {
    ...only("20 s later", "rate.rejected-not-run"),
    askedWith: ["rate.burst", "rate.sustained"],
  },
} as const;
