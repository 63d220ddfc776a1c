/** A service that answers as no service should: each worker stands for one way of doing so. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { listen } from "../../http/listen.ts";

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export interface Hostility {
  /** Answers the submission; a proper acceptance where there is none. */
  submit?: Behaviour;
  /** Identifier that a proper acceptance names. */
  jobId?: string;
  /** Answers polls of the job; the job runs on where there is none. */
  poll?: Behaviour;
}

export interface HostileService {
  baseUrl: string;
  /** Paths that were asked for, as they stood in the request. */
  paths: string[];
  close(): Promise<void>;
}

/** Ours: room for the longest identifier in a path. */
const HEAD_BYTES_MAX = 1024 * 1024;

export async function startHostile(
  workers: Readonly<Record<string, Hostility>>,
): Promise<HostileService> {
  const jobs = new Map<string, Behaviour>();
  const paths: string[] = [];
  const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX }, (request, response) => {
    const path = request.url ?? "";
    paths.push(path);
    response.on("error", () => {});
    const worker = /^\/v1\/workers\/([^/]+)\/jobs$/.exec(path)?.[1];
    if (worker === undefined) {
      const poll = jobs.get(decodeURIComponent(path)) ?? json(200, { jobs: [], workers: [] });
      poll(response, request);
      return;
    }
    const { jobId = `job_${worker}`, submit, poll } = workers[worker] ?? {};
    const jobPath = `/v1/jobs/${jobId.toWellFormed()}`;
    jobs.set(jobPath, poll ?? json(200, job(jobId, "running")));
    (submit ?? json(202, acceptance(jobId, worker)))(response, request);
  });
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    paths,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function acceptance(id: string, worker: string) {
  const created_at = new Date().toISOString();
  return { job_uuid: id, status: "queued", worker, cost_estimate_credits: 1, created_at };
}

/** A job of variant A, well-formed but for what is changed. */
export function job(id: string, status: string, changes: object = {}) {
  const now = new Date().toISOString();
  const ended = status !== "running";
  return {
    job_uuid: id,
    status,
    worker: "success",
    cost_credits: 1,
    duration_ms: ended ? 1 : null,
    created_at: now,
    completed_at: ended ? now : null,
    result: status === "completed" ? { text: "hi" } : null,
    error: null,
    ...changes,
  };
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** Packed although it was not asked for, as careless caches do; with the times of the answer. */
export const packedJson =
  (status: number, bodyNow: () => unknown): Behaviour =>
  (response) => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    response.writeHead(status, headers).end(gzipSync(JSON.stringify(bodyNow())));
  };

export const html = (status: number): Behaviour =>
  json(status, "<!doctype html><h1>It works!</h1>", { "content-type": "text/html" });

/** Never a word. */
export const silent: Behaviour = () => {};

/** A head that never ends, a byte now and then. */
export const slowHead: Behaviour = ({ socket }) => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-padding: ";
  let sent = 0;
  const timer = setInterval(() => {
    socket?.write(head[sent] ?? "x");
    sent += 1;
  }, 100);
  socket?.on("close", () => clearInterval(timer));
};

/** Bytes that are no text in UTF-8, where a character is cut and others never were. */
export const notUtf8 = (status: number, before: string, after: string): Behaviour => {
  const body = Buffer.concat([
    Buffer.from(before),
    Buffer.of(0xff, 0xc3, 0xed),
    Buffer.from(after),
  ]);
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
};

/** As many bytes as the reader takes. */
export const endless: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(64 * 1024, " ");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
};

/** A promised length that is not kept. */
export const truncated: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
  response.write('{"job_uuid":"job_1","status":"comp', () => response.socket?.destroy());
};

/** So many members of a megabyte each, which a reader unpacks as one. RFC 1952, 2.2. */
export function gzipBombOf(megabytes: number): Behaviour {
  const member = gzipSync(Buffer.alloc(1024 * 1024, " "));
  const packed = Buffer.concat(Array<Buffer>(megabytes).fill(member));
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(packed);
  };
}

/** A thousand times what it looks like. */
export const gzipBomb = gzipBombOf(100);
