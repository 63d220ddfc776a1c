/**
 * What a request costs the reference service, beside a bare node:http that answers anything:
 * requests for each millisecond of the serving process's own processor time.
 *
 * npm run bench:reference
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import type { Service } from "../test/soak/service.ts";
import { startService, stopService } from "../test/soak/service.ts";
import { usedMs } from "./processor-time.ts";
import { measureRow, TABLE_HEAD } from "./row.ts";

/** Ours: some seconds of a core. */
const REQUESTS = 8_000;
const CONNECTIONS = 32;

interface Serving {
  pool: Pool;
  pid: number;
  key: string;
}

interface Ask {
  method: "GET" | "POST";
  path: string;
  body?: string;
}

const submission: Ask = { method: "POST", path: "/v1/workers/echo/jobs", body: '{"text":"hello"}' };

/** Requests that were answered for a millisecond of processor time. */
async function perMs({ pool, pid, key }: Serving, ask: Ask): Promise<number> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const before = await usedMs(pid);
  let left = REQUESTS;
  const askInTurns = async () => {
    while (left > 0) {
      left -= 1;
      const { statusCode, body } = await pool.request({ ...ask, headers });
      await body.dump();
      if (statusCode >= 300)
        throw new Error(`${ask.method} ${ask.path} was answered ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askInTurns));
  return REQUESTS / ((await usedMs(pid)) - before);
}

interface Bare {
  child: ChildProcess;
  baseUrl: string;
}

async function startBare(): Promise<Bare> {
  const script = path.join(import.meta.dirname, "bare-service.ts");
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { baseUrl } = JSON.parse(line) as { baseUrl: string };
  return { child, baseUrl };
}

const serving = (baseUrl: string, child: ChildProcess, key: string): Serving => {
  return { pool: new Pool(baseUrl, { connections: CONNECTIONS }), pid: child.pid ?? 0, key };
};

const unlimited = { args: ["--fault", "rate.limited/never"], keyName: "big" };
async function measureRows(service: Service, bare: Bare): Promise<void> {
  const own = serving(service.baseUrl, service.process, service.key);
  const other = serving(bare.baseUrl, bare.child, "");
  const { body } = await own.pool.request({
    ...submission,
    headers: { "x-api-key": service.key, "content-type": "application/json" },
  });
  const { job_uuid } = (await body.json()) as { job_uuid: string };
  const job: Ask = { method: "GET", path: `/v1/jobs/${job_uuid}` };
  process.stdout.write(TABLE_HEAD);
  const rows = [
    ["get-job", "GET of a job", "≥ 0.7", job],
    ["submit", "POST of a job, and its run", "≥ 0.45", submission],
  ] as const;
  for (const [name, subject, goal, ask] of rows) {
    await measureRow({
      name: `reference-${name}`,
      what: "requests a ms of processor time",
      subject,
      peer: "GET of bare `node:http`",
      goal,
      measureSubject: () => perMs(own, ask),
      measurePeer: () => perMs(other, job),
    });
  }
  await Promise.all([own.pool.close(), other.pool.close()]);
}

const service = await startService("0.02", "b", unlimited);
try {
  const bare = await startBare();
  try {
    await measureRows(service, bare);
  } finally {
    bare.child.kill();
  }
} finally {
  await stopService(service);
}
