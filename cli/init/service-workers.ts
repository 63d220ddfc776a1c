/** What a service's catalogue says of its workers: prices, limits, inputs. */

import { decodeWorker } from "../../contract/decode/worker.ts";
import { isSuccess, jsonBody } from "../../contract/exchange.ts";
import { listedWorkers } from "../../contract/listed-workers.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { Secrets } from "../../contract/target.ts";
import type { CarefulSend } from "../../gate/careful-send.ts";
import { BEFORE_THE_RUN, carefulSend } from "../../gate/careful-send.ts";
import { MACHINE_TIME } from "../../http/careful.ts";
import { createClient } from "../../http/client.ts";
import type { Input } from "./sample-input.ts";
import { markerField, sampleInput, secondsField } from "./sample-input.ts";

export interface ServiceWorker {
  id: string;
  name: string;
  priceUsd: number | null;
  timeoutSeconds: number | null;
  /** null where its schema allows no plain one, or is not shown. */
  input: Input | null;
  marker: string | null;
  seconds: ReturnType<typeof secondsField>;
}

/** Ours: at the pace of a key without a plan some 15 s; whoever has more names theirs. */
const DETAILS_MAX = 60;

export interface Catalogue {
  workers: readonly ServiceWorker[];
  /** Workers of the list that were not looked at, as there are too many. */
  others: number;
}

/** Reads the list and each worker's detail, within the pace of the key. */
export async function readCatalogue(
  baseUrl: string,
  key: PlanKey,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<Catalogue> {
  const client = createClient(baseUrl);
  const send = carefulSend(client, secrets, BEFORE_THE_RUN, MACHINE_TIME, signal);
  try {
    const entries = await listedWorkers((query) => send(key, { route: "workers", query }), null);
    const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
    const workers: ServiceWorker[] = [];
    for (const { id, name, priceUsd } of unique.slice(0, DETAILS_MAX)) {
      workers.push({ id, name: name ?? id, priceUsd, ...(await detailOf(send, key, id)) });
    }
    return { workers, others: Math.max(0, unique.length - DETAILS_MAX) };
  } finally {
    await client.close();
  }
}

type Detail = Pick<ServiceWorker, "timeoutSeconds" | "input" | "marker" | "seconds">;
const NOTHING: Detail = { timeoutSeconds: null, input: null, marker: null, seconds: null };

async function detailOf(send: CarefulSend, key: PlanKey, id: string): Promise<Detail> {
  const answer = await send(key, { route: "worker", parameter: id });
  const detail = isSuccess(answer) ? decodeWorker(jsonBody(answer)).value : null;
  if (detail === null) return NOTHING;
  const { timeoutSeconds, inputSchema: schema } = detail;
  if (schema === null) return { ...NOTHING, timeoutSeconds };
  const input = sampleInput(schema);
  return {
    timeoutSeconds,
    input,
    marker: input === null ? null : markerField(schema, input),
    seconds: secondsField(schema),
  };
}
