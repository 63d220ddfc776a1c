/** The refused submissions: what is sent, to which worker, on which key. Spec §4.3, §7. */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { MARK_CHARS, markOf } from "../../contract/jobs/marks.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { WrongBodies } from "../../contract/judges/steps.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isClientError, isSuccess } from "../../contract/requests/exchange.ts";
import type { WorkerPart } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import { askRefused } from "../client/accepted-by-mistake.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { madeUpWorkerId } from "../client/inputs/made-up.ts";
import type { WrongBody } from "../client/inputs/wrong-bodies.ts";
import { malformedBodies, withoutRequired, withViolation } from "../client/inputs/wrong-bodies.ts";
import { ANY_FORM } from "../client/send.ts";
import { type Random, sampled, seededRandom } from "../world/random.ts";

/** The answers to each body once. */
export interface RefusedSubmissions extends WrongBodies {
  /** Submissions to a worker that does not exist, for the traces that they leave alone. */
  unknownWorker: readonly StatusCase[];
}

/** Ours: bodies of each kind for the first worker, and for each of the others. */
const FIRST_BODIES_MAX = 21;
const BODIES_MAX = { quick: 6, standard: 16, soak: 16 };

type Make = (schema: JsonObject, input: JsonObject) => readonly WrongBody[];

/** By kind. A worker without a schema takes any object, for all that is known. */
const KINDS: { readonly [Kind in keyof WrongBodies]: Make } = {
  malformed: (schema, input) => malformedBodies(input, schema),
  missingField: withoutRequired,
  violation: withViolation,
};

/** Sends each body once; `again`: only those that it names. */
export async function sendRefused(
  context: Context,
  catalogue: Catalogue,
  again: ReadonlySet<string> | null = null,
): Promise<RefusedSubmissions> {
  const workers = workersOf(context);
  const of = (kind: keyof WrongBodies) => sendKind(context, catalogue, workers, kind, again);
  const [malformed, missingField, violation, unknownWorker] = await Promise.all([
    of("malformed"),
    of("missingField"),
    of("violation"),
    sendToUnknownWorkers(context, workers, again),
  ]);
  return { malformed, missingField, violation, unknownWorker };
}

/** Ours: as many as tell a charge for each from a balance that is told in whole credits. */
const UNKNOWN_WORKERS = 4;

async function sendToUnknownWorkers(
  context: Context,
  [worker]: readonly WorkerPart[],
  again: ReadonlySet<string> | null,
): Promise<readonly StatusCase[]> {
  if (worker === undefined) return [];
  const names = Array.from({ length: UNKNOWN_WORKERS }, (_, at) => `no worker (${at + 1})`);
  const wanted = names.filter((what) => again?.has(what) ?? true);
  return await Promise.all(
    wanted.map(async (what) => {
      const asked = await askRefused(context, {
        method: "POST",
        route: "submit",
        parameter: madeUpWorkerId(context.random, worker.id),
        key: context.caller,
        body: JSON.stringify(worker.input),
      });
      return { what, ...asked };
    }),
  );
}

/**
 * One worker after the other: where one has accepted what it should refuse, enough is known, and
 * more would only start more jobs.
 */
async function sendKind(
  context: Context,
  { details }: Catalogue,
  workers: readonly WorkerPart[],
  kind: keyof WrongBodies,
  again: ReadonlySet<string> | null,
): Promise<readonly StatusCase[]> {
  const cases: StatusCase[] = [];
  const tried = new Set<string | undefined>([undefined]);
  for (const [at, worker] of workers.entries()) {
    const schema = details.get(worker.id)?.detail?.inputSchema ?? null;
    if (schema === null && kind !== "malformed") continue;
    const mark = markOf(context.random.token(MARK_CHARS));
    const bodies = KINDS[kind](schema ?? {}, plainlyMarked(worker, mark));
    // Which ones follows from the plan's seed alone, so that the same are sent again.
    const random = seededRandom(context.plan.seed + at);
    const most = at === 0 ? FIRST_BODIES_MAX : BODIES_MAX[context.plan.profile];
    const chosen = newFirst(random, tried, bodies, most);
    for (const { bound } of chosen) tried.add(bound);
    const sent = chosen
      .map((wrong, place) => ({ worker, wrong, isPlain: place === 0 }))
      .filter((each) => again?.has(nameOf(each)) ?? true)
      .map((each) => sendWrong(context, each));
    cases.push(...(await Promise.all(sent)));
    if (cases.some(({ attempts }) => attempts.some(isSuccess))) break;
  }
  return cases;
}

/** By its mark a job that runs all the same is known whenever it is listed. */
export function plainlyMarked({ input, marker }: WorkerPart, mark: string): WorkerPart["input"] {
  return marker === undefined ? input : { ...input, [marker]: mark };
}

/**
 * One body for each bound that no worker was tried with before, as what a validator does not know
 * it knows of no worker; the others as long as there is room.
 */
function newFirst(
  random: Random,
  tried: ReadonlySet<string | undefined>,
  bodies: readonly WrongBody[],
  most: number,
): readonly WrongBody[] {
  const isNew = ({ bound }: WrongBody, at: number) =>
    !tried.has(bound) && bodies.findIndex((other) => other.bound === bound) === at;
  const fresh = bodies.filter(isNew).slice(0, FIRST_BODIES_MAX);
  const others = bodies.filter((each) => !fresh.includes(each));
  return [...fresh, ...sampled(random, others, Math.max(0, most - fresh.length))];
}

/** One worker of the plan for each identifier, that of the cheap success part first. */
function workersOf({ plan }: Context): readonly WorkerPart[] {
  const parts = PARTS.flatMap((part) => plan.workers[part] ?? []);
  return parts.filter(({ id }, index) => parts.findIndex((other) => other.id === id) === index);
}

interface Sending {
  worker: WorkerPart;
  wrong: WrongBody;
  /** Sent as by a program that names no form which it can read. */
  isPlain: boolean;
}

function nameOf({ worker, wrong, isPlain }: Sending): string {
  return `${wrong.what} to "${worker.id}"${isPlain ? ` (Accept: ${ANY_FORM})` : ""}`;
}

async function sendWrong(context: Context, sending: Sending): Promise<StatusCase> {
  const { worker, wrong, isPlain } = sending;
  const asked = await askRefused(context, {
    method: "POST",
    route: "submit",
    parameter: worker.id,
    key: context.caller,
    body: wrong.body,
    ...(isPlain ? { accept: ANY_FORM } : {}),
  });
  return { what: nameOf(sending), ...(wrong.lawful ? { lawful: wrong.lawful } : {}), ...asked };
}

/** Whether a body was accepted against all promises; then there are jobs that run and cost. */
export function hasAccepted(sent: RefusedSubmissions): boolean {
  return casesOf(sent).some(({ attempts }) => attempts.some(isSuccess));
}

/** What was sent and refused. */
export function refusedAmong(sent: RefusedSubmissions): ReadonlySet<string> {
  return new Set(
    casesOf(sent).flatMap((each) => (each.attempts.every(wasRefused) ? each.what : [])),
  );
}

export function casesOf(sent: RefusedSubmissions): readonly StatusCase[] {
  const { malformed, missingField, violation, unknownWorker } = sent;
  return [...malformed, ...missingField, ...violation, ...unknownWorker];
}

/** Whether the submission was answered 4xx: only those must run nothing. */
export function wasRefused(submission: Exchange): boolean {
  return isClientError(submission) && submission.status !== 429;
}
