/**
 * Follows jobs by the account's list of recent jobs where no webhooks come: one request for many.
 * What a list shows is open, so a job that it shows ended is asked for by itself. Spec §4.5.
 */

import { isObject } from "../../../contract/decode/decoded.ts";
import { decodeJobList } from "../../../contract/decode/job-list.ts";
import { isSuccess, jsonBody } from "../../../contract/requests/exchange.ts";
import type { State } from "../../../contract/states.ts";
import { isTerminal, parseStatus } from "../../../contract/states.ts";
import type { LoadedKey } from "../offered/rates.ts";
import { sendCounted } from "../offered/requests.ts";
import type { Soak } from "../soak.ts";
import { hasFeed } from "../soak.ts";
import type { Entry } from "./ledger.ts";

const EVERY_MS = 1_000;
/** Ours: k6 ends with the last timer, so none may be long. */
const CHECK_MS = 100;
/** Ours: of the hundred jobs that the list shows at the most, some may be other keys'. */
const IN_FLIGHT_MAX = 80;
/** Ours: a list may lag behind by so much. */
const LAG_MS = 1_500;

/** Until the soak is over; does nothing while webhooks come. */
export async function watchLists(soak: Soak): Promise<void> {
  const { world } = soak.context;
  for (let dueMs = world.now(); soak.phase !== "over"; await world.delay(CHECK_MS)) {
    if (world.now() < dueMs || hasFeed(soak)) continue;
    dueMs = world.now() + EVERY_MS;
    await Promise.all(soak.keys.map((key) => readList(soak, key)));
  }
}

async function readList(soak: Soak, key: LoadedKey): Promise<void> {
  const { world } = soak.context;
  const waiting = [...soak.ledger.open.values()].filter(
    (entry) => entry.key === key && entry.standing === "accepted" && entry.end === null,
  );
  if (waiting.length === 0) return;
  key.isListed = false;
  if (waiting.length > IN_FLIGHT_MAX / world.shard.count) return;
  await key.pacer.turn();
  const sentAtMs = world.now();
  const call = { method: "GET", route: "jobs", key: key.name } as const;
  const exchange = await sendCounted(soak, key, call);
  const states = isSuccess(exchange) ? statesIn(jsonBody(exchange)) : new Map<string, State>();
  const shown = (entry: Entry) => (entry.id === null ? undefined : states.get(entry.id));
  const old = waiting.filter((entry) => entry.sentAtMs < sentAtMs - LAG_MS);
  key.isListed = states.size > 0 && old.every((entry) => shown(entry) !== undefined);
  for (const entry of waiting) {
    const state = shown(entry);
    if (isTerminal(state)) soak.follower.schedule(entry, world.now());
  }
}

/** Job states by identifier, of the entries that tell one. */
function statesIn(body: unknown): Map<string, State> {
  const states = new Map<string, State>();
  for (const { id, entry } of decodeJobList(body)?.jobs ?? []) {
    const known = parseStatus(isObject(entry) ? entry.status : null);
    if (known !== null) states.set(id, known.state);
  }
  return states;
}
