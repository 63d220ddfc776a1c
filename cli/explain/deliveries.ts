/** Explanations: webhooks, rate limits, load. */

import type { OfGroups } from "./explanation.ts";

export const DELIVERIES: OfGroups<"webhook" | "rate" | "load"> = {
  "webhook.delivered": [
    "Each job with a webhook is followed to its end, and its delivery is waited for.",
    "A dispatcher that was restarted, ends such as timeout that are forgotten, a blocked way out.",
    "See which ends are missing; if all are, see that the service reaches the receiver.",
  ],
  "webhook.not-before-terminal": [
    "The time of each delivery is compared with the last poll at which the job had not ended.",
    "The event is sent before the state is stored.",
    "Send after the commit, not within it.",
  ],
  "webhook.body": [
    "Every delivery is decoded: event, job_uuid, status, result and fired_at.",
    "Ends other than completion with another body, or the other variant's names.",
    "The finding names the field and the end.",
  ],
  "webhook.truthful": [
    "Status and identifier of each delivery are compared with what the job endpoint says.",
    "Bodies that are made before the job's last change, or of a neighbour's job.",
    "Compare the quoted delivery with the quoted job.",
  ],
  "webhook.signed": [
    "Each delivery carries the signature header; with scheme and secret it is also computed.",
    "Retries without a signature, a body that is changed after it is signed, an old secret.",
    "See whether all fail (scheme or secret) or some (retries, one replica).",
  ],
  "webhook.once": [
    "Deliveries that were answered 200 in time are waited after: none may come again.",
    "An answer that is not stored, or two dispatchers that share a queue.",
    "See the time between the two: a retry's wait, or at once.",
  ],
  "webhook.retried": [
    "The receiver fails deliveries: with 500s, cut connections, silence; each has to come again.",
    "Only some failures count as such, for example 5xx but no closed connection.",
    "The finding names the kind of failure after which nothing came.",
  ],
  "webhook.wait-1": [
    "The time between the first, failed attempt and the second is measured: 5 s.",
    "A scheduler with a coarse step, or waits that count from something else.",
    "See whether all waits are off by the same, or some by chance.",
  ],
  "webhook.wait-2": [
    "The time between the second failed attempt and the third is measured: 30 s.",
    "The waits of the schedule shifted by one, or added up.",
    "Compare with webhook.wait-1 and wait-3: together they show the schedule.",
  ],
  "webhook.wait-3": [
    "The time between the third failed attempt and the fourth is measured: 5 min.",
    "A queue whose longest delay is shorter, or a restart that forgets timers.",
    "If it never comes, see webhook.retried.",
  ],
  "webhook.gives-up": [
    "After the fourth attempt the receiver waits on: there must not be a fifth.",
    "A retry that counts from 0, or a queue that redelivers by itself.",
    "See the times of all attempts in the finding.",
  ],
  "webhook.answer-time": [
    "The receiver answers 200 just within and just after 10 s: the first counts, the second not.",
    "A client whose time limit is another one, or that starts with the connection.",
    "See at which answer time the service gave up.",
  ],
  "webhook.recovers": [
    "Deliveries are failed once, twice, three times and then accepted: no more may come.",
    "The success of a retry is not stored.",
    "See after which attempt it went on.",
  ],
  "webhook.only-asked": [
    "Jobs without a webhook are watched for deliveries.",
    "A default address of the account, or one of an earlier job.",
    "See to which address it went.",
  ],
  "webhook.result": [
    "The result in the delivery of a completed job is compared with the job's own.",
    "Large results that are cut, or a body that is made before the result is stored.",
    "Compare sizes first.",
  ],
  "rate.limited": [
    "A key sends well above its plan; the answers beyond it have to be 429.",
    "No limiter on some replicas, or another status such as 503.",
    "See how many got through, and what the refused were answered.",
  ],
  "rate.sustained": [
    "A key sends too much for a while; what is let in, less the burst, is its sustained rate.",
    "Replicas that count apart (a multiple of the rate), or windows with the wrong length.",
    "A whole multiple of the plan means one limiter per replica.",
  ],
  "rate.burst": [
    "After a rest, more requests than the burst are sent at once; those admitted are counted.",
    "A bucket of another size, a window that resets at its border, refused requests that count.",
    "See how many got through in each trial.",
  ],
  "rate.within-plan": [
    "All callers that stay within their plan watch for a 429 of their own.",
    "Somebody else on the same key, a limiter by address, or one that counts twice.",
    "First make sure that nobody else uses the key.",
  ],
  "rate.retry-after-present": [
    "Every 429 of the run carries Retry-After.",
    "429s of a gateway in front, which knows nothing of the limiter.",
    "Compare the body of a 429 with and without the header.",
  ],
  "rate.retry-after-valid": [
    "The value is a whole number of seconds or an HTTP date (RFC 9110 §10.2.3).",
    "Fractions, milliseconds, or a date in another form.",
    "The finding quotes the value.",
  ],
  "rate.retry-after-sufficient": [
    "The caller waits for as long as Retry-After says and sends one request: it is let in.",
    "Rounding down to whole seconds, or a wait computed for one token of many.",
    "Round the wait up to whole seconds.",
  ],
  "rate.retry-after-not-excessive": [
    "Retry-After is compared with the wait that the plan needs, plus a tolerance.",
    "A constant such as 60, or penalties that grow.",
    "See whether the value is always the same.",
  ],
  "rate.per-key": [
    "While one key sends beyond its limit, another stays within its own and is not refused.",
    "A limiter by account or by address.",
    "If both keys are of one account, try two accounts to tell these apart.",
  ],
  "rate.all-endpoints": [
    "Requests of one key are spread over endpoints: together they have one allowance.",
    "A limiter per route.",
    "See which endpoint let more through.",
  ],
  "rate.rejected-not-run": [
    "Submissions beyond the limit are made; no job may come of those answered 429.",
    "The limiter stands behind the queue, or answers after the job is stored.",
    "Look for the quoted mark in the job list.",
  ],
  "load.no-losses": [
    "Every job that a load run had accepted is asked for at the end, and has to have ended.",
    "Queues that overflow, workers that are killed, replicas that are replaced.",
    "See when the lost jobs were accepted, and what happened then.",
  ],
  "load.throughput": [
    "Completed jobs per second, as a share of the offered ones, against objectives.throughput.",
    "Fewer runs at once than the rate needs, or a queue that grows.",
    "plumbline capacity finds the rate that is kept, and what gives way first.",
  ],
  "load.latency": [
    "The 99th percentiles of submit answers and queue waits, against the objectives.",
    "A queue that is full at times, garbage collection, a store that locks.",
    "The page of the report plots both over time: steady, in waves, or growing.",
  ],
  "load.errors": [
    "Failed requests as a share of all, against objectives.errorShare.",
    "Connections that are closed at their age limit, restarts, exhausted pools.",
    "The finding counts them by kind; begin with the most frequent.",
  ],
  "load.webhooks": [
    "Each job of the load that had a webhook is delivered, once the load is over.",
    "A dispatcher that is slower than the jobs are.",
    "See whether they are late or lost.",
  ],
  "load.accounting": [
    "The balance before and after is compared with the sum of the jobs' costs.",
    "A price that is taken twice under retries, or holds that stay.",
    "Divide the difference by the price of a job.",
  ],
  "load.stable": [
    "Latency and backlog of the last third are compared with those of the first.",
    "Leaks, tables that grow, caches that fill.",
    "Run longer: a leak goes on, a warm-up ends.",
  ],
};
