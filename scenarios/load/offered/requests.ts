/** Sends the requests of a soak, and counts them with what is wrong with their answers. */

import { refusedForMs } from "../../../contract/answers/retry-after.ts";
import { DRIPPING_MS } from "../../../contract/judges/load/errors.ts";
import type { ErrorKind } from "../../../contract/judges/load/tally.ts";
import { addViolation } from "../../../contract/judges/load/violations.ts";
import { countAnswer, watchRequest } from "../../../contract/judges/load/within-plan.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { errorText, isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import type { InTurn } from "../../client/followed/in-turn.ts";
import { eachInTurn } from "../../client/followed/in-turn.ts";
import { HOLD_MS_MAX } from "../../client/pacer.ts";
import type { Call } from "../../client/send.ts";
import { send } from "../../client/send.ts";
import type { World } from "../../world/world.ts";
import type { Entry } from "../followed/ledger.ts";
import { countInSeries } from "../series.ts";
import { noteServing } from "../serving.ts";
import type { Soak } from "../soak.ts";
import type { LoadedKey } from "./rates.ts";

/** Ours: a longer one may take its time. */
const SHORT_BODY_CHARS = 65_536;

/** One request of the soak to the service. */
export async function sendCounted(soak: Soak, key: LoadedKey, call: Call): Promise<Exchange> {
  const { world } = soak.context;
  soak.inFlight += 1;
  const passage = watchRequest(key.watch, world.now());
  const exchange = await send(world, soak.plan, call);
  passage.receivedAtMs = exchange.receivedAtMs;
  soak.inFlight -= 1;
  countAnswer(soak.tally.planRefusals, key.watch, exchange);
  countExchange(soak, key, exchange);
  return exchange;
}

/** Asks for the job once. */
export function askFor(soak: Soak, { id, key }: Pick<Entry, "id" | "key">): Promise<Exchange> {
  const call = { method: "GET", route: "job", parameter: id ?? "", key: key.name } as const;
  return sendCounted(soak, key, call);
}

/** What is done with each entry at the pace of its key. */
export async function eachByKey(
  { keys }: Soak,
  entries: readonly Entry[],
  task: Omit<InTurn<Entry>, "turn">,
): Promise<void> {
  await Promise.all(
    keys.map((key) => {
      const own = entries.filter((entry) => entry.key === key);
      return eachInTurn(own, { ...task, turn: () => key.pacer.turn() });
    }),
  );
}

/** One request beside the load's own, in its key's turn: nothing is counted of its answer. */
export async function askBeside(
  { context: { world }, plan }: Soak,
  key: LoadedKey,
  call: Omit<Call, "key">,
): Promise<Exchange> {
  await key.pacer.turn();
  const passage = watchRequest(key.watch, world.now());
  const exchange = await send(world, plan, { ...call, key: key.name });
  passage.receivedAtMs = exchange.receivedAtMs;
  return exchange;
}

function countExchange(soak: Soak, key: LoadedKey, exchange: Exchange): void {
  const { tally, manners, context, plan } = soak;
  if (exchange.status === 429) {
    tally.requests429 += 1;
    if (!manners.ignoresWaits) hold(context.world, key, exchange);
    return;
  }
  tally.requests += 1;
  const kind = errorKind(exchange);
  if (kind === null) {
    noteServing(tally.serving, exchange, plan.times);
    return;
  }
  tally.errors[kind] += 1;
  if (mayBeIdleClose(exchange)) countIdleClose(soak, exchange);
  if (kind === "dripping" || exchange.error === "timeout") tally.slow += 1;
  countInSeries(tally.series, "errors", exchange.receivedAtMs);
  addViolation(tally.failed, { what: wordsOf(kind, exchange), exchanges: [exchange] });
}

/** Nothing more is sent with the key before the time that the 429 tells. */
function hold(world: World, key: LoadedKey, exchange: Exchange): void {
  key.heldUntilMs = world.now() + refusedForMs(exchange, HOLD_MS_MAX);
  key.pacer.holdUntil(key.heldUntilMs);
}

/** How a request failed; null for an answer that is whole, whatever it says. */
function errorKind(exchange: Exchange): ErrorKind | null {
  const { error, status, bodyMs = 0, body } = exchange;
  if (error === "local") return "not sent";
  if (error === "unread") return null;
  if (error !== null || status === 0) return "no answer";
  if (status >= 500) return "5xx";
  // What a cancel is answered is open. Spec §4.6.
  const owesJson = exchange.route !== "job" || exchange.method === "GET";
  if (owesJson && isSuccess(exchange) && jsonBody(exchange) === undefined) return "malformed";
  return bodyMs > DRIPPING_MS && body.length < SHORT_BODY_CHARS ? "dripping" : null;
}

/** Both generators send a GET again when its connection turns out to be closed; no other method. */
function mayBeIdleClose({ error, isReused, method }: Exchange): boolean {
  return isReused === true && method !== "GET" && (error === "reset" || error === "other");
}

/** Ours: connections that were last used together are closed together. */
const SAME_MOMENT_MS = 100;

function countIdleClose(soak: Soak, { receivedAtMs }: Exchange): void {
  soak.tally.idleCloses += 1;
  if (receivedAtMs - soak.idleClosedAtMs > SAME_MOMENT_MS) soak.tally.idleMoments += 1;
  soak.idleClosedAtMs = receivedAtMs;
}

function wordsOf(kind: ErrorKind, { error, status, bodyMs = 0, method, path }: Exchange): string {
  const how = {
    "5xx": `was answered ${status}`,
    "no answer": `got ${errorText(error)}`,
    "not sent": "was not sent: this machine has no descriptors or ports left",
    malformed: "was answered with a body that is not JSON",
    dripping: `was answered byte by byte for ${Math.round(bodyMs)} ms`,
  };
  return `${method} ${path} ${how[kind]}`;
}
