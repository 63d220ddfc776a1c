/** Judges the publishing of a worker of the caller's; body and answer are open. Spec §4.7, §7. */

import type { Exchange } from "../exchange.ts";
import { isSuccess } from "../exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { statusOutcome } from "./expected-status.ts";

/** Statuses by which a service may ask for a body we can't know, or say "published already". */
const ABOUT_THE_BODY = [400, 409, 415, 422];

export function judgePublish(own: StatusCase, unknown: StatusCase): Finding {
  const promise = "workers.publish";
  const exchanges = [own, unknown].flatMap(({ attempts }) => attempts.at(-1) ?? []);
  const published = own.attempts.at(-1);
  const ownOutcome = statusOutcome(own, isAccepted, ABOUT_THE_BODY);
  // Where the own worker was published by it, the body can't be what an unknown one fails on.
  const doubtful = published !== undefined && isSuccess(published) ? [] : ABOUT_THE_BODY;
  const unknownOutcome = statusOutcome(unknown, (status) => status === 404, doubtful);
  if (ownOutcome === "contradicts") {
    return broken(promise, `publishing an own worker got ${statusOf(own)}; promised 2xx`, {
      exchanges,
    });
  }
  if (unknownOutcome === "contradicts") {
    return broken(promise, `publishing an unknown worker got ${statusOf(unknown)}; promised 404`, {
      exchanges,
    });
  }
  const answers = `own worker ${statusOf(own)}, unknown worker ${statusOf(unknown)}`;
  if (ownOutcome === "doubtful" || unknownOutcome === "doubtful") {
    return unobserved(promise, `${answers}: the body to send is not known`);
  }
  if (ownOutcome === "no answer" || unknownOutcome === "no answer") {
    return inconclusive(promise, answers, { exchanges });
  }
  return kept(promise, `own worker ${statusOf(own)}, unknown worker 404`, {
    strength: looksAt(2, "requests"),
  });
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

function statusOf({ attempts }: StatusCase): number {
  const last: Exchange | undefined = attempts.at(-1);
  return last?.status ?? 0;
}
