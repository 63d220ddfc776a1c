/** A small client of the embedded service for tests: one attempt a call, everything is shown. */

import { isTerminal, parseStatus } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { fillOptions } from "../../reference/options.ts";
import { createServer } from "../../reference/server.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { serveOn } from "../http/serve.ts";
import { openCore } from "./core-of.ts";
import { openReference } from "./open-reference.ts";

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body's JSON; {} when it is none. */
  body: Record<string, unknown>;
}

type Service = Pick<ReferenceService, "baseUrl" | "keys">;

interface Requests {
  call(method: string, path: string, body?: unknown, key?: string | null): Promise<Reply>;
  get(path: string, key?: string | null): Promise<Reply>;
  /** Identifier of a job that was accepted; throws when it was not. */
  submit(worker: string, input: object, key?: string): Promise<string>;
  /** The job object once `until` holds; throws after a thousand polls. */
  follow(id: string, until?: (job: Reply["body"]) => boolean, key?: string): Promise<Reply["body"]>;
}

export interface Caller extends Requests {
  service: ReferenceService;
}

export interface MovedCaller extends Requests {
  /** Lets so much of the service's time pass. */
  pass(ms: number): Promise<void>;
}

/**
 * A service of the test's own, closed after it; its clocks run fifty times faster. `others` are on,
 * beside those of its options.
 */
export async function start(
  options: GivenOptions = {},
  others: readonly Fault[] = [],
): Promise<Caller> {
  const faults = [...(options.faults ?? []), ...others.map(({ name }) => name)];
  const service = await openReference({ timeScale: 0.02, ...options, faults }, others);
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 12));
  return { service, ...requestsTo(service, pause) };
}

/** The same, but its time is the test's to move: it passes while `follow` waits, or by `pass`. */
export async function startMoved(given: GivenOptions = {}): Promise<MovedCaller> {
  const { core, clock, pass } = openCore(given);
  const server = createServer(core.handle, clock, fillOptions(given));
  const service = { baseUrl: `http://127.0.0.1:${await serveOn(server)}`, keys: core.keys };
  return { pass, ...requestsTo(service, () => pass(50)) };
}

/** Ours: of a wait of 12 ms each, longer than any job of the tests takes. */
const POLLS = 1_000;

function requestsTo(service: Service, pause: () => Promise<void>): Requests {
  const caller: Requests = {
    call: (method, path, body, key = "big") => request(service, method, path, body, key),
    get: (path, key = "big") => request(service, "GET", path, undefined, key),
    async submit(worker, input, key = "big") {
      const reply = await caller.call("POST", `/v1/workers/${worker}/jobs`, input, key);
      if (reply.status !== 202) throw new Error(`not accepted: ${reply.status} ${reply.text}`);
      return String(reply.body.job_uuid);
    },
    async follow(id, until = isEnded, key = "big") {
      for (let polls = 0; polls < POLLS; polls += 1) {
        const { body } = await caller.get(`/v1/jobs/${id}`, key);
        if (until(body)) return body;
        await pause();
      }
      throw new Error(`job ${id} did not get there within ${POLLS} polls`);
    },
  };
  return caller;
}

export function isEnded(job: Reply["body"]): boolean {
  const parsed = parseStatus(String(job.status));
  return parsed !== null && isTerminal(parsed.state);
}

function keyValue(service: Service, name: string): string {
  const key = service.keys.find((each) => each.name === name);
  if (key === undefined) throw new Error(`no key "${name}"`);
  return key.value;
}

async function request(
  service: Service,
  method: string,
  path: string,
  body: unknown,
  key: string | null,
): Promise<Reply> {
  const named = service.keys.some(({ name }) => name === key);
  const value = key === null ? null : named ? keyValue(service, key) : key;
  const response = await fetch(service.baseUrl + path, {
    method,
    redirect: "manual",
    headers: {
      ...(value === null ? {} : { "x-api-key": value }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): Reply["body"] {
  try {
    return JSON.parse(text) as Reply["body"];
  } catch {
    return {};
  }
}
