/** Judges the publishing of a worker of the caller's; body and answer are open. Spec §4.7, §7. */

import { judgeCounted } from "../judging/decide.ts";
import { isSuccess } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";
import type { Asked, StatusCase, StatusOutcome } from "./expected-status.ts";
import { answered, statusOutcome } from "./expected-status.ts";

/** Statuses by which a service may ask for a body we can't know, or say "published already". */
const ABOUT_THE_BODY = [400, 409, 415, 422];

/** Statuses by which a service refuses to publish another account's worker; which is open. */
const ANOTHERS: readonly number[] = [403, 404];

export function isAnothersWorker({ attempts }: Asked): boolean {
  return ANOTHERS.includes(attempts.at(-1)?.status ?? 0);
}

/** `unasked`: keys of further accounts, of which each may own the worker. */
export function judgePublish(
  own: StatusCase,
  unknown: StatusCase,
  unasked: readonly string[] = [],
): Finding {
  const published = own.attempts.at(-1);
  const mayBeAnothers = isAnothersWorker(own) && unasked.length > 0;
  const doubtfulOwn = mayBeAnothers ? ANOTHERS : ABOUT_THE_BODY;
  const ownOutcome = statusOutcome(own, (status) => isSuccess({ status }), doubtfulOwn);
  // Where the own worker was published by it, the body can't be what an unknown one fails on.
  const doubtful = published !== undefined && isSuccess(published) ? [] : ABOUT_THE_BODY;
  const unknownOutcome = statusOutcome(unknown, (status) => status === 404, doubtful);
  const both = [
    { each: own, outcome: ownOutcome, what: "publishing an own worker", promised: "2xx" },
    {
      each: unknown,
      outcome: unknownOutcome,
      what: "publishing an unknown worker",
      promised: "404",
    },
  ];
  const of = (wanted: StatusOutcome) =>
    both.flatMap(({ each, outcome, what, promised }) => {
      const seen = answered({ ...each, what });
      return outcome === wanted ? [{ ...seen, what: `${seen.what}; promised ${promised}` }] : [];
    });
  const faults = of("contradicts");
  const [unclear] = of("doubtful");
  const isUnclear = faults.length === 0 && unclear !== undefined;
  return judgeCounted({
    promise: "workers.publish",
    faults,
    open: isUnclear ? [] : of("no answer"),
    good: isUnclear ? 0 : of("as promised").length,
    of: "requests",
    kept: "publishing an own worker got 2xx, an unknown worker 404",
    without: `${unclear?.what}: ${mayBeAnothers ? notAsked(unasked) : UNKNOWN_BODY}`,
    quorum: { openShare: 0 },
  });
}

const UNKNOWN_BODY = "the body to send is not known";

function notAsked(unasked: readonly string[]): string {
  const owners = `it may be of an account whose keys are measured (${unasked.join(", ")})`;
  return `${owners}; another key of that account, without a plan, would publish it`;
}
