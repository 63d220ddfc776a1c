/** A small client of the embedded service for tests: one attempt a call, everything is shown. */

import { isTerminal, parseStatus } from "../../contract/states.ts";
import type { GivenOptions } from "../../reference/options.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { openReference } from "./open-reference.ts";

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body's JSON; {} when it is none. */
  body: Record<string, unknown>;
}

export interface Caller {
  service: ReferenceService;
  call(method: string, path: string, body?: unknown, key?: string | null): Promise<Reply>;
  get(path: string, key?: string | null): Promise<Reply>;
  /** Identifier of a job that was accepted; throws when it was not. */
  submit(worker: string, input: object, key?: string): Promise<string>;
  /** The job object once `until` holds; throws after 10 s. */
  follow(id: string, until?: (job: Reply["body"]) => boolean, key?: string): Promise<Reply["body"]>;
}

/** A service of the test's own, closed after it; its clocks run fifty times faster. */
export async function start(options: GivenOptions = {}): Promise<Caller> {
  const service = await openReference({ timeScale: 0.02, ...options });
  return callerOf(service);
}

function callerOf(service: ReferenceService): Caller {
  const caller: Caller = {
    service,
    call: (method, path, body, key = "big") => request(service, method, path, body, key),
    get: (path, key = "big") => request(service, "GET", path, undefined, key),
    async submit(worker, input, key = "big") {
      const reply = await caller.call("POST", `/v1/workers/${worker}/jobs`, input, key);
      if (reply.status !== 202) throw new Error(`not accepted: ${reply.status} ${reply.text}`);
      return String(reply.body.job_uuid);
    },
    async follow(id, until = isEnded, key = "big") {
      for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 12) {
        const { body } = await caller.get(`/v1/jobs/${id}`, key);
        if (until(body)) return body;
        await new Promise((resolve) => setTimeout(resolve, 12));
      }
      throw new Error(`job ${id} did not get there within 10 s`);
    },
  };
  return caller;
}

export function isEnded(job: Reply["body"]): boolean {
  const parsed = parseStatus(String(job.status));
  return parsed !== null && isTerminal(parsed.state);
}

function keyValue(service: ReferenceService, name: string): string {
  const key = service.keys.find((each) => each.name === name);
  if (key === undefined) throw new Error(`no key "${name}"`);
  return key.value;
}

async function request(
  service: ReferenceService,
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
