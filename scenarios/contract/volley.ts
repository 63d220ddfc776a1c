/** The refused submissions: what is sent, to which worker, on which key. Spec §4.3, §7. */

import { issuedIdIn } from "../../contract/decode/accepted.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isSuccess } from "../../contract/exchange.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { WorkerPart } from "../../contract/run-plan.ts";
import { PARTS } from "../../contract/run-plan.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { WrongBody } from "./wrong-bodies.ts";
import { MALFORMED_BODIES, withoutRequired, withViolation } from "./wrong-bodies.ts";

/** The answers of one volley, by the promise that speaks of each. */
export interface Volley {
  malformed: readonly StatusCase[];
  missingField: readonly StatusCase[];
  violation: readonly StatusCase[];
}

/** Ours: bodies of each kind over all workers; more tell nothing new. */
const BODIES_MAX = 6;

/** Sends each body once; those in `leftOut` (by what they are) are not sent. */
export async function sendVolley(
  context: Context,
  catalogue: Catalogue,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<Volley> {
  const workers = workersOf(context);
  const [first] = workers;
  if (first === undefined) return { malformed: [], missingField: [], violation: [] };
  const perWorker = (make: typeof withoutRequired) =>
    workers.flatMap((worker) => {
      const schema = catalogue.details.get(worker.id)?.detail?.inputSchema;
      if (schema == null) return [];
      return make(schema, worker.input).map((wrong) => ({ worker, wrong }));
    });
  const malformed = MALFORMED_BODIES.map((wrong) => ({ worker: first, wrong }));
  const [a, b, c] = await Promise.all(
    [malformed, perWorker(withoutRequired), perWorker(withViolation)].map((bodies) =>
      Promise.all(
        bodies
          .slice(0, BODIES_MAX)
          .filter((each) => !leftOut.has(nameOf(each)))
          .map((each) => sendWrong(context, each)),
      ),
    ),
  );
  return { malformed: a ?? [], missingField: b ?? [], violation: c ?? [] };
}

/** One worker of the plan for each identifier, that of the cheap success part first. */
function workersOf({ plan }: Context): readonly WorkerPart[] {
  const parts = PARTS.flatMap((part) => plan.workers[part] ?? []);
  return parts.filter(({ id }, index) => parts.findIndex((other) => other.id === id) === index);
}

interface Sending {
  worker: WorkerPart;
  wrong: WrongBody;
}

function nameOf({ worker, wrong }: Sending): string {
  return `${wrong.what} to "${worker.id}"`;
}

async function sendWrong(context: Context, sending: Sending): Promise<StatusCase> {
  const { worker, wrong } = sending;
  const attempts = await context.askAgain({
    method: "POST",
    route: "submit",
    parameter: worker.id,
    key: context.caller,
    body: wrong.body,
  });
  for (const attempt of attempts) countAccepted(context, attempt);
  return { what: nameOf(sending), attempts };
}

/** A wrong body that is accepted has started a job: it is the suite's own and counts. */
export function countAccepted(context: Context, exchange: Exchange): void {
  if (!isSuccess(exchange)) return;
  context.spending.surprise(exchange);
  const id = issuedIdIn(exchange);
  if (id !== null) context.ownIds.add(id);
}

/** What was sent and accepted against all promises; it runs and costs like any job. */
export function acceptedAmong(volley: Volley): ReadonlySet<string> {
  const cases = [...volley.malformed, ...volley.missingField, ...volley.violation];
  return new Set(cases.filter(({ attempts }) => attempts.some(isSuccess)).map(({ what }) => what));
}

/** Whether the submission was answered 4xx: only those must run nothing. */
export function wasRefused({ status }: Exchange): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
