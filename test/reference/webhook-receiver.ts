/** A receiver for tests: answers as it is told, and keeps what came. */

import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";
import { serve } from "../http/serve.ts";

export interface Delivery {
  atMs: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
  /** Of the sender: another one is another connection. */
  port: number | undefined;
}

/** What to do with each delivery in turn: answer after a while, reset, or never answer. */
export type Script = readonly ({ status: number; afterMs?: number } | "reset" | "silence")[];

export interface Receiver {
  url: string;
  deliveries: Delivery[];
  /** Resolves when so many came; rejects after 20 s. */
  count(n: number): Promise<Delivery[]>;
}

/** After the script's end, every delivery is answered 200. */
export async function receive(script: Script = []): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const waiting: (() => void)[] = [];
  const address = await serve((request, response) => {
    const atMs = performance.now();
    const step = script[deliveries.length] ?? { status: 200 };
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Delivery["body"];
      const { headers, socket } = request;
      deliveries.push({ atMs, headers, text, body, port: socket.remotePort });
      for (const wake of waiting.splice(0)) wake();
      if (step === "reset") request.socket.destroy();
      else if (step !== "silence") {
        setTimeout(() => response.writeHead(step.status).end(), step.afterMs ?? 0);
      }
    });
  });
  return {
    url: `${address}/hook`,
    deliveries,
    count: (n) => arrived(deliveries, waiting, n),
  };
}

function arrived(deliveries: Delivery[], waiting: (() => void)[], n: number): Promise<Delivery[]> {
  return new Promise((resolve, reject) => {
    const message = () => `expected ${n} deliveries within 20 s, got ${deliveries.length}`;
    const timer = setTimeout(() => reject(new Error(message())), 20_000);
    const check = () => {
      if (deliveries.length < n) {
        waiting.push(check);
        return;
      }
      clearTimeout(timer);
      resolve(deliveries);
    };
    check();
  });
}
