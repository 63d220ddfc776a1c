/**
 * What a request costs the reference service, beside a bare node:http that answers anything:
 * requests for each millisecond of the serving process's own processor time.
 *
 * npm run bench -- --only reference-service
 */

import { Pool } from "undici";
import type { Service } from "../test/soak/service.ts";
import { startService, stopService } from "../test/soak/service.ts";
import { usedMs } from "./processor-time.ts";
import { measure } from "./row.ts";
import type { Server } from "./server.ts";
import { startServer } from "./server.ts";

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

const serving = (baseUrl: string, pid: number, key: string): Serving => {
  return { pool: new Pool(baseUrl, { connections: CONNECTIONS }), pid, key };
};

async function measureRows(service: Service, bare: Server): Promise<void> {
  const own = serving(service.baseUrl, service.process.pid ?? 0, service.key);
  const other = serving(bare.baseUrl, bare.pid, "");
  const { body } = await own.pool.request({
    ...submission,
    headers: { "x-api-key": service.key, "content-type": "application/json" },
  });
  const { job_uuid } = (await body.json()) as { job_uuid: string };
  const job: Ask = { method: "GET", path: `/v1/jobs/${job_uuid}` };
  const rows = [
    ["get-job", "GET of a job", 0.7, job],
    ["submit", "POST of a job, and its run", 0.45, submission],
  ] as const;
  for (const [name, subject, atLeast, ask] of rows) {
    const what = "requests a ms of processor time";
    await measure({
      figures: [{ name: `reference-${name}`, what, goal: { atLeast } }],
      subject,
      peer: "GET of bare `node:http`",
      measureSubject: async () => [await perMs(own, ask)],
      measurePeer: async () => [await perMs(other, job)],
    });
  }
  await Promise.all([own.pool.close(), other.pool.close()]);
}

const unlimited = { args: ["--fault", "rate.limited/never"], keyName: "big" };
const service = await startService("0.02", "b", unlimited);
try {
  const bare = await startServer("bare-service.ts");
  try {
    await measureRows(service, bare);
  } finally {
    bare.process.kill();
  }
} finally {
  await stopService(service);
}
