/** A process that posts forged and oversized deliveries for some time, as fast as it can. */

import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";

const [base = "", durationMs = "0"] = process.argv.slice(2);

/** Ours: enough to keep one core busy. */
const SENDERS = 24;
const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
const small = Buffer.from('{"event":"job.completed","status":"forged"}');
const large = Buffer.alloc(200 * 1024, "x");
const oversized = Buffer.alloc(2 * 1024 * 1024, "x");
const bodies = [small, small, large, small, oversized, small];
const endsAtMs = performance.now() + Number(durationMs);
let sent = 0;

function forge(): Promise<void> {
  const body = bodies[sent % bodies.length] ?? small;
  sent += 1;
  const token = randomBytes(18).toString("base64url");
  return new Promise((resolve) => {
    const headers = { "content-length": body.length, "x-service-signature": "0".repeat(64) };
    const forged = request(
      `${base}/d/${token}/200`,
      { method: "POST", agent, headers },
      (response) => response.resume().on("close", resolve),
    );
    forged.on("error", () => resolve());
    forged.end(body);
  });
}

async function sender(): Promise<void> {
  while (performance.now() < endsAtMs) await forge();
}

process.stdout.write("flooding\n");
await Promise.all(Array.from({ length: SENDERS }, sender));
process.stdout.write(`${sent}\n`);
process.exit();
