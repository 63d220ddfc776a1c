/**
 * A process that posts forged deliveries for some time, as fast as it can: with `bodies` some of
 * them are oversized, with `heads` each has a head that is as long as Node takes it.
 */

import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";

const [base = "", durationMs = "0", what = ""] = process.argv.slice(2);

/** Ours: enough to keep one core busy. */
const SENDERS = 24;
const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
const small = Buffer.from('{"event":"job.completed","status":"forged"}');
const large = Buffer.alloc(200 * 1024, "x");
const oversized = Buffer.alloc(2 * 1024 * 1024, "x");
const bodies = what === "heads" ? [small] : [small, small, large, small, oversized, small];
const endsAtMs = performance.now() + Number(durationMs);
/** Ours: close to what Node takes of a head. */
const LONG = "x".repeat(15_000);
const longHeaders = ["content-type", "webhook-id", "x-filler"].map((name) => ({ [name]: LONG }));
const heads = [
  ...longHeaders.map((headers) => ({ headers, query: "" })),
  { headers: {}, query: `?${LONG}` },
];
let sent = 0;

function forge(): Promise<void> {
  const body = bodies[sent % bodies.length] ?? small;
  const head = heads[what === "heads" ? sent % heads.length : -1];
  sent += 1;
  const token = randomBytes(18).toString("base64url");
  return new Promise((resolve) => {
    const signature = { "x-service-signature": "0".repeat(64) };
    const headers = { "content-length": body.length, ...signature, ...head?.headers };
    const forged = request(
      `${base}/d/${token}/200${head?.query ?? ""}`,
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
