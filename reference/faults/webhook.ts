/**
 * Faults of webhooks: whether they come, when, and what they say. A delivery that nobody asked for
 * goes to an address that another job was given, so that job's delivery is not the only one and
 * not its own: hence the companions. What is never delivered is missing in a soak, too.
 */

import { isObject } from "../../contract/decode/decoded.ts";
import type { State } from "../../contract/states.ts";
import type { Hooks, Outgoing, WebhookMessage, WebhookPost } from "../hooks.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { type Fields, without } from "./answers.ts";
import { B_ONLY, type Fault, faultsOf, ofJobs, type Row } from "./fault.ts";
import {
  completed,
  endedWithin,
  ofState,
  onJob,
  shownAs,
  timeMs,
  withoutResult,
  withTimes,
} from "./job-views.ts";

/** It tells the end that the run should have, and some fail of themselves. */
const TELLS_AN_END = { companions: ["webhook.truthful"] } as const;
const IN_SOAKS = { companions: ["load.webhooks"] } as const;

const dropping = (which: (job: Job) => boolean, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    webhook: (message, job) => (which(job) && chosen(job) ? null : message),
  }));

/** Where each account has a secret of its own, and a load has jobs of another one. */
const OF_ACCOUNTS = {
  choices: { secrets: "by-account" },
  seenWith: ["load.webhooks"],
} as const satisfies Row[2];

const all = () => true;

const notFor = (state: State): Row => {
  const title = `No webhook is sent for a job that ends as ${state}`;
  return [title, dropping(ofState(state)), IN_SOAKS];
};

/** Rewrites the bodies of the webhooks of completed jobs. */
const telling = (bend: (body: Fields) => Fields, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    webhook(message, job) {
      if (message === null || !completed(job) || !chosen(job)) return message;
      return { ...message, body: bend(message.body) };
    },
  }));

/** As the full job object tells it, in either variant. */
function submittedIn({ created_at, timestamps, fired_at }: Fields): unknown {
  return created_at ?? (isObject(timestamps) ? timestamps.submitted_at : fired_at);
}

const early = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => ({
    webhookMoment: (moment, job) => (chosen(job) ? "running" : moment),
  }));

/** The end of a job with a webhook is shown once `isShown`: as it is stored, or views catch up. */
const endShownOnce = (isShown: (job: Job) => boolean) =>
  onJob(
    (job) => job.webhook !== null && isDone(job) && !isShown(job),
    (body, { startedAtMs }) => {
      // One that was cancelled while it waited never ran.
      const before = shownAs(startedAtMs === null ? "queued" : "running")(body);
      return withTimes({ ...withoutResult(before), error: null }, (times, { finished }) => {
        return { ...times, [finished]: null, duration_ms: null };
      });
    },
  );

/** As where it is sent within the transaction that ends the job. */
function withinItsEnd(): Partial<Hooks> {
  const answered = new WeakSet<Job>();
  return {
    ...endShownOnce((job) => answered.has(job) || job.state === "cancelled"),
    delivered(success, { job }) {
      answered.add(job);
      return success;
    },
  };
}

const signing = (bend: (signature: string) => string | null, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    signature: (signature, _body, job) =>
      signature !== null && chosen(job) ? bend(signature) : signature,
  }));

function tampered(signature: string): string {
  return signature.slice(0, -4) + (signature.endsWith("0000") ? "1111" : "0000");
}

/** As where a process remembers the secret that it used last. */
const signedAsBefore = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => {
    let before: Outgoing | null = null;
    return {
      post(post, outgoing) {
        const signer = chosen(outgoing.job) ? (before ?? outgoing) : outgoing;
        before = signer;
        return { ...post, headers: signer.signedHeaders(post.body) };
      },
    };
  });

/** As where a process remembers the secret that it looked up first, of all or for each worker. */
const signedAsFirst = (memo: (job: Job) => string) => () => {
  const firsts = new Map<string, Outgoing>();
  return {
    post(post: WebhookPost, outgoing: Outgoing) {
      const name = memo(outgoing.job);
      const signer = firsts.get(name) ?? outgoing;
      firsts.set(name, signer);
      return { ...post, headers: signer.signedHeaders(post.body) };
    },
  };
};

function toldLast(): Partial<Hooks> {
  const last = new Map<string, string>();
  return {
    webhook(message, job, body): WebhookMessage | null {
      if (message !== null) {
        last.set(job.account.id, message.url);
        return message;
      }
      const url = last.get(job.account.id);
      return url === undefined ? null : { url, body: body() };
    },
  };
}

const DELIVERY_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.delivered", {
    never: ["No webhook is sent", dropping(all), IN_SOAKS],
    "once-in-a-while": ["1 webhook in 5 is not sent", dropping(all, 5), IN_SOAKS],
    "once-polled": [
      "A webhook is sent only once its job is asked for after its end",
      () => ({ webhookMoment: () => "polled" }),
    ],
    "not-for-failed": notFor("failed"),
    "not-for-timeout": notFor("timeout"),
    "not-for-cancelled": notFor("cancelled"),
  }),
  ...faultsOf("webhook.not-before-terminal", {
    "at-the-start": ["A webhook comes as the run starts", early(1), TELLS_AN_END],
    "once-in-a-while": ["1 in 4 comes at the start", early(4), TELLS_AN_END],
    "within-its-end": [
      "A job is shown as ended once the receiver has answered its webhook, or does so no more",
      withinItsEnd,
    ],
    "near-views-1.5-s-late": [
      "The end of a job with a webhook is shown 1.5 s late",
      ({ clock }) => endShownOnce((job) => !endedWithin(1_500)(job, clock)),
    ],
  }),
  ...faultsOf("webhook.only-asked", {
    "last-address": [
      "Jobs without a webhook use the last one",
      toldLast,
      // What comes of another job at an address is counted as the next attempt there.
      {
        companions: [
          ...(["webhook.once", "webhook.truthful", "webhook.result"] as const),
          ...(["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const),
        ],
      },
    ],
  }),
];

const BODY_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.body", {
    "no-event": ["The body names no event", telling((body) => without(body, "event"))],
    "no-fired-at": ["The body has no time", telling((body) => without(body, "fired_at"))],
    epoch: [
      "The body's time is a number",
      telling((body) => ({ ...body, fired_at: timeMs(body.fired_at) })),
    ],
    "fired-at-submission": [
      "The body's time is that of the submission",
      telling((body) => ({ ...body, fired_at: submittedIn(body) })),
    ],
    "result-as-text": [
      "The result is a text",
      telling((body) => ({ ...body, result: JSON.stringify(body.result) })),
    ],
    "once-in-a-while": ["1 body in 4 has no result", telling((body) => without(body, "result"), 4)],
    "near-more-fields": [
      "The body has further fields",
      telling((body) => ({ ...body, attempt: 1, source: null })),
    ],
  }),
  ...faultsOf("webhook.truthful", {
    "another-status": ["The body says failed of a completed job", telling(shownAs("failed"))],
    "another-job": [
      "1 body in 4 has another job's identifier",
      telling((body) => ({ ...body, job_uuid: `job_${"0".repeat(32)}`, ...otherJobId(body) }), 4),
    ],
    "tells-no-files": [
      "The body tells no files of a job that has some",
      telling((body) => ({ ...body, files: [] })),
      B_ONLY,
    ],
    "costs-twice": [
      "The body tells twice the job's cost",
      telling((body) => ({ ...body, ...twiceTheCost(body) })),
    ],
  }),
  ...faultsOf("webhook.signed", {
    missing: ["The signature is missing", signing(() => null)],
    tampered: ["The signature is invalid", signing(tampered)],
    "once-in-a-while": ["1 signature in 4 is wrong", signing(tampered, 4)],
    empty: ["The signature is empty", signing(() => "")],
    "of-another-account": [
      "1 job in 10 has its webhooks signed with the secret of the account before it",
      signedAsBefore(10),
      OF_ACCOUNTS,
    ],
    "of-the-first-account": [
      "All webhooks are signed with the secret of the account that the first one went to",
      signedAsFirst(() => ""),
      OF_ACCOUNTS,
    ],
    "of-the-workers-first-account": [
      "A worker's webhooks are signed with the secret of the account that its first one went to",
      signedAsFirst((job) => job.worker.id),
      OF_ACCOUNTS,
    ],
  }),
];

/** Variant B names the job a second time. */
function otherJobId(body: Fields): Fields {
  return "job_id" in body ? { job_id: `job_${"0".repeat(32)}` } : {};
}

/** In variant A a number of credits, in variant B an object in USD. */
function twiceTheCost({ cost_credits: credits, cost }: Fields): Fields {
  if (typeof credits === "number") return { cost_credits: 2 * credits };
  if (typeof cost !== "object" || cost === null || !("total_usd" in cost)) return {};
  return { cost: { ...cost, total_usd: 2 * Number(cost.total_usd) } };
}

export const WEBHOOK_FAULTS: readonly Fault[] = [...DELIVERY_FAULTS, ...BODY_FAULTS];
