/**
 * A process that floods the receiver of a gate: posts to tokens of nobody, small and far too large,
 * and the same delivery of the service again and again. Tells how often it got which status.
 */

import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { post } from "../receiver/post.ts";

export interface Flood {
  /** Of the receiver. */
  base: string;
  /** A delivery of the service, as it was sent. */
  delivery: { url: string; headers: Record<string, string>; body: string };
  posts: number;
  senders: number;
}

const { base, delivery, posts, senders } = JSON.parse(process.argv[2] ?? "") as Flood;
const agent = new Agent({ keepAlive: true, maxSockets: senders });
const forged = '{"event":"job.completed","status":"forged"}';
const oversized = Buffer.alloc(1024 * 1024, "x");
const stranger = () => `${base}/d/${randomBytes(18).toString("base64url")}/200`;

/** Of ten six to tokens of nobody and four to a real one; of each one is oversized. */
const KINDS = [
  ...Array.from({ length: 5 }, () => () => post(stranger(), { agent, body: forged })),
  () => post(stranger(), { agent, body: oversized }),
  ...Array.from({ length: 3 }, () => () => post(delivery.url, { agent, ...delivery })),
  () => post(delivery.url, { agent, body: oversized }),
];

let sent = 0;
const answers: Record<number, number> = {};
await Promise.all(
  Array.from({ length: senders }, async () => {
    while (sent < posts) {
      sent += 1;
      const { status } = (await KINDS[sent % KINDS.length]?.()) ?? { status: 0 };
      answers[status] = (answers[status] ?? 0) + 1;
    }
  }),
);
agent.destroy();
process.stdout.write(JSON.stringify(answers));
