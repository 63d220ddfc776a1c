/**
 * Faults of webhooks: whether they come, when, and what they say. A delivery that nobody asked for
 * goes to an address that another job was given, so that job's delivery is not the only one and
 * not its own: hence the companions. What is never delivered is missing in a soak, too.
 */

import type { State } from "../../contract/states.ts";
import type { Hooks, WebhookMessage } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import { type Fields, without } from "./answers.ts";
import { chosenOneIn, type Fault, type FaultScene, fault, nearMiss } from "./fault.ts";

const IN_SOAKS = { companions: ["load.webhooks"] } as const;

const dropping =
  (which: (job: Job) => boolean, oneOf = 1) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return { webhook: (message, job) => (which(job) && chosen(job) ? null : message) };
  };

const ended = (state: State) => (job: Job) => job.state === state;
const all = () => true;

/** Rewrites the bodies of the webhooks that `which` picks. */
const telling = (
  which: (job: Job) => boolean,
  bend: (body: Fields, job: Job) => Fields,
  oneOf = 1,
) => {
  return ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return {
      webhook(message, job) {
        if (message === null || !which(job) || !chosen(job)) return message;
        return { ...message, body: bend(message.body, job) };
      },
    };
  };
};

const completed = ended("completed");

const early =
  (oneOf: number) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return { webhookMoment: (moment, job) => (chosen(job) ? "running" : moment) };
  };

const signing =
  (bend: (signature: string) => string | null, oneOf = 1) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return {
      signature: (signature, _body, job) =>
        signature !== null && chosen(job) ? bend(signature) : signature,
    };
  };

function tampered(signature: string): string {
  return signature.slice(0, -4) + (signature.endsWith("0000") ? "1111" : "0000");
}

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
  fault("webhook.delivered", "never", "No webhook is sent", dropping(all), IN_SOAKS),
  fault("webhook.delivered", "once-in-a-while", "1 in 5 is not sent", dropping(all, 5), IN_SOAKS),
  ...(["failed", "timeout", "cancelled"] as const).map((state) =>
    fault(
      "webhook.delivered",
      `not-for-${state}`,
      `No webhook is sent for a job that ends as ${state}`,
      dropping(ended(state)),
      IN_SOAKS,
    ),
  ),
  fault(
    "webhook.not-before-terminal",
    "at-the-start",
    "A webhook comes as the run starts",
    early(1),
  ),
  fault("webhook.not-before-terminal", "once-in-a-while", "1 in 4 comes at the start", early(4)),
  fault("webhook.only-asked", "last-address", "Jobs without a webhook use the last one", toldLast, {
    companions: ["webhook.once", "webhook.truthful"],
  }),
];

const BODY_FAULTS: readonly Fault[] = [
  fault(
    "webhook.body",
    "no-event",
    "The body names no event",
    telling(completed, (body) => without(body, "event")),
  ),
  fault(
    "webhook.body",
    "no-fired-at",
    "The body has no time",
    telling(completed, (body) => without(body, "fired_at")),
  ),
  fault(
    "webhook.body",
    "epoch",
    "The body's time is a number",
    telling(completed, (body) => ({ ...body, fired_at: Date.parse(String(body.fired_at)) })),
  ),
  fault(
    "webhook.body",
    "result-as-text",
    "The result is a text",
    telling(completed, (body) => ({ ...body, result: JSON.stringify(body.result) })),
  ),
  fault(
    "webhook.body",
    "once-in-a-while",
    "1 body in 4 has no result",
    telling(completed, (body) => without(body, "result"), 4),
  ),
  nearMiss(
    "webhook.body",
    "more-fields",
    "The body has further fields",
    telling(completed, (body) => ({ ...body, attempt: 1, source: null })),
  ),
  fault(
    "webhook.truthful",
    "another-status",
    "The body says failed of a completed job",
    telling(completed, (body) => ({
      ...body,
      status: body.status === "completed" ? "failed" : "FAILED",
    })),
  ),
  fault(
    "webhook.truthful",
    "another-job",
    "1 body in 4 has another job's identifier",
    telling(
      completed,
      (body) => ({ ...body, job_uuid: `job_${"0".repeat(32)}`, ...otherJobId(body) }),
      4,
    ),
  ),
  fault(
    "webhook.signed",
    "missing",
    "The signature is missing",
    signing(() => null),
  ),
  fault("webhook.signed", "tampered", "The signature does not fit", signing(tampered)),
  fault("webhook.signed", "once-in-a-while", "1 signature in 4 is wrong", signing(tampered, 4)),
  fault(
    "webhook.signed",
    "empty",
    "The signature is empty",
    signing(() => ""),
  ),
];

/** Variant B names the job a second time. */
function otherJobId(body: Fields): Fields {
  return "job_id" in body ? { job_id: `job_${"0".repeat(32)}` } : {};
}

export const WEBHOOK_FAULTS: readonly Fault[] = [...DELIVERY_FAULTS, ...BODY_FAULTS];
