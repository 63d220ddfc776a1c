/** What a service's catalogue says of its workers: prices, limits, inputs. */

import { listedWorkers } from "../../contract/answers/listed-workers.ts";
import type { WorkerDetail } from "../../contract/decode/worker.ts";
import { decodeWorker } from "../../contract/decode/worker.ts";
import { isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import type { CarefulSend } from "../../gate/careful-send.ts";
import { BEFORE_THE_RUN, carefulSend } from "../../gate/careful-send.ts";
import { compileSchema } from "../../gate/json-schema.ts";
import { MACHINE_TIME } from "../../http/careful.ts";
import { createClient } from "../../http/client.ts";
import { PreflightError } from "../present-error.ts";
import type { Input } from "./sample-input.ts";
import { markerField, plainInput, secondsField } from "./sample-input.ts";

interface Entry {
  id: string;
  name: string;
  priceUsd: number | null;
}

export interface ServiceWorker extends Entry {
  timeoutSeconds: number | null;
  /** null where its schema allows no plain one, or is not shown. */
  input: Input | null;
  /** Field of the input that takes any text; null without one. */
  marker: string | null;
  /** Field that says how many seconds a run takes; null without one. */
  seconds: string | null;
  /** Whether its schema does. */
  accepts(input: Input): boolean;
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
      const entry = { id, name: name ?? id, priceUsd };
      workers.push(serviceWorker(entry, await detailOf(send, key, id)));
    }
    return { workers, others: Math.max(0, unique.length - DETAILS_MAX) };
  } finally {
    await client.close();
  }
}

/** Ours: as many ids as fit two lines. */
const IDS_SHOWN_MAX = 12;

/** A preflight's problems, those about an unknown worker with what the catalogue shows. */
export function withWorkers(error: unknown, { workers, others }: Catalogue): unknown {
  if (!(error instanceof PreflightError) || workers.length === 0) return error;
  const shown = workers.slice(0, IDS_SHOWN_MAX).map(({ id }) => id);
  const more = workers.length + others - shown.length;
  const listed = `it shows ${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
  return new PreflightError(
    error.problems.map((problem) => {
      if (problem.code !== "unknown-worker") return problem;
      return { ...problem, message: `${problem.message}; ${listed}` };
    }),
  );
}

type Detail = Pick<WorkerDetail, "timeoutSeconds" | "inputSchema">;
const NO_DETAIL: Detail = { timeoutSeconds: null, inputSchema: null };

async function detailOf(send: CarefulSend, key: PlanKey, id: string): Promise<Detail> {
  const answer = await send(key, { route: "worker", parameter: id });
  return (isSuccess(answer) ? decodeWorker(jsonBody(answer)).value : null) ?? NO_DETAIL;
}

export function serviceWorker(
  entry: Entry,
  { timeoutSeconds, inputSchema: schema }: Detail,
): ServiceWorker {
  const validate = schema === null ? null : compileSchema(schema).validate;
  const accepts = (input: Input) => validate?.(input)?.length === 0;
  const plain = schema === null ? null : plainInput(schema);
  const input = plain !== null && accepts(plain) ? plain : null;
  return {
    ...entry,
    timeoutSeconds,
    input,
    marker: schema === null || input === null ? null : markerField(schema, input),
    seconds: schema === null ? null : secondsField(schema),
    accepts,
  };
}
