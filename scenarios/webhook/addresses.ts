/**
 * Which deliveries are of which job. Several jobs name one address, as most callers give the same
 * to all of their jobs: what a service keeps by address must not mix them up.
 */

import type { Delivery, ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { namedJob } from "../../contract/judges/webhook/attempts.ts";
import { isSuccessStep } from "../../contract/judges/webhook/case.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isDisturbed } from "../../contract/requests/exchange.ts";
import type { Context } from "../client/context.ts";
import { deliveriesOf } from "../client/receiver.ts";
import { newToken } from "../client/token.ts";
import type { CaseSpec } from "./cases.ts";

/** A job's address, and whether it is told from others' there by its name. */
export interface Addressed {
  spec: Pick<CaseSpec, "sharesAddress" | "script">;
  token: string;
  job: { issuedId: string | null; submission: Pick<Exchange, "status"> };
}

/** Tokens of the addresses that jobs of a kind share. */
export type SharedTokens = Map<CaseSpec["kind"], string>;

/** One of its own, or the one that its kind shares. */
export function tokenFor(
  { world }: Context,
  { tokenPrefix }: ReceiverAccess,
  shared: SharedTokens,
  { kind, sharesAddress }: CaseSpec,
): string {
  const known = sharesAddress ? shared.get(kind) : undefined;
  const token = known ?? tokenPrefix + newToken(world);
  if (sharesAddress) shared.set(kind, token);
  return token;
}

/** Ours: a delivery that began before others may be listed after them. */
const OVERTAKEN_MS = 2_000;

/** Deliveries to the job beyond the first `after`; waits up to `waitMs` for one, or less. */
export async function nextOf(
  { world }: Context,
  access: ReceiverAccess,
  job: Addressed,
  { after, waitMs }: { after: number; waitMs: number },
): Promise<readonly Delivery[]> {
  const { spec, token } = job;
  if (!spec.sharesAddress) return deliveriesOf(world, access, token, after, waitMs);
  const all = await deliveriesOf(world, access, token, 0, 0);
  const own = all.filter((delivery) => isOf(job, delivery)).slice(after);
  const lastSeen = all.at(-1)?.attempt ?? 0;
  if (own.length === 0) {
    await deliveriesOf(world, access, token, lastSeen, Math.min(waitMs, OVERTAKEN_MS));
  }
  return own;
}

/**
 * Of all deliveries at its address those of the job, counted anew. What names none of the jobs
 * there is taken for theirs to which nothing came, one each in turn. Where attempts fail it may be
 * anybody's next one, and is dealt only if nothing came to one alone.
 */
export function dealtTo<Job extends Addressed>(
  job: Job,
  jobs: readonly Job[],
  all: readonly Delivery[],
): readonly Delivery[] {
  if (!job.spec.sharesAddress) return all;
  const sharers = jobs.filter((each) => each.token === job.token && idOf(each) !== null);
  const lacking = sharers.filter((each) => !all.some((delivery) => isOf(each, delivery)));
  // What was submitted without an answer may run all the same.
  const mayBeUnknown = jobs.some((each) => each.token === job.token && isUnanswered(each));
  const strays = all.filter((delivery) => {
    const isAnothers = mayBeUnknown && namedJob(delivery) !== null;
    return !isAnothers && !sharers.some((each) => isOf(each, delivery));
  });
  const own = all.filter((delivery) => isOf(job, delivery));
  const alike = sharers.filter((each) => idOf(each) === idOf(job));
  // Where the oldest were evicted, what is left does not begin with a first attempt.
  const first = all[0]?.attempt ?? 1;
  const isTaken = job.spec.script.every(isSuccessStep);
  const strayTo = lacking.length > 0 ? lacking : sharers.slice(0, 1);
  const isKnown = isTaken || lacking.length === 1;
  return [...inTurn(own, alike, job), ...(isKnown ? inTurn(strays, strayTo, job) : [])]
    .sort((a, b) => a.attempt - b.attempt)
    .map((delivery, at) => ({ ...delivery, attempt: first + at }));
}

function inTurn<Job>(deliveries: readonly Delivery[], jobs: readonly Job[], job: Job) {
  return deliveries.filter((_, at) => jobs[at % jobs.length] === job);
}

function isUnanswered({ job }: Addressed): boolean {
  return job.issuedId === null && isDisturbed(job.submission);
}

function idOf({ job }: Addressed): string | null {
  return job.issuedId;
}

function isOf(job: Addressed, delivery: Delivery): boolean {
  return idOf(job) !== null && namedJob(delivery) === idOf(job);
}
