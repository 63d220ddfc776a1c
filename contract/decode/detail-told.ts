/** What one read of a worker's detail told that others of the same worker tell, too. Spec §2.3. */

import type { Exchange } from "../requests/exchange.ts";
import { jsonBody } from "../requests/exchange.ts";
import { workerInPath } from "../requests/routes.ts";
import { fingerprint } from "../text/fingerprint.ts";
import type { Json } from "../verdict.ts";
import type { JsonObject } from "./decoded.ts";
import { isObject } from "./decoded.ts";
import { decodeWorker } from "./worker.ts";

export interface DetailTold {
  /** Name of the key that asked: its plan may have a limit of its own. */
  key: string | null;
  /** As it was asked for. */
  worker: string;
  limitSeconds: number;
  /** Fingerprint of which input fields there are, of which type, and which of them are required. */
  fields: string;
  /** How its body begins: enough to quote it. */
  body: string;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Ours: in characters; a schema of some ten fields. */
const QUOTED_MAX = 600;

/** null where it was not served, or can't be read. */
export function detailTold(exchange: Exchange): DetailTold | null {
  const { key, status, path, sentAtMs, receivedAtMs } = exchange;
  const detail = status === 200 ? decodeWorker(jsonBody(exchange)).value : null;
  if (detail?.timeoutSeconds == null || detail.inputSchema === null) return null;
  const { timeoutSeconds: limitSeconds, inputSchema } = detail;
  const fields = fingerprint(fieldsOf(inputSchema));
  const worker = workerInPath(path);
  const body = exchange.body.slice(0, QUOTED_MAX);
  return { key, worker, limitSeconds, fields, body, sentAtMs, receivedAtMs };
}

function fieldsOf({ properties, required }: JsonObject): Json {
  const types = Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => [
    name,
    sorted(isObject(field) ? field.type : null),
  ]);
  return [Object.fromEntries(types), sorted(required ?? [])];
}

/** Sets are written as lists, in any order. */
function sorted(value: unknown): Json {
  return Array.isArray(value) ? value.map(String).sort() : ((value ?? null) as Json);
}
