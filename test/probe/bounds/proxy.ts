/**
 * A proxy before the embedded service that lets jobs vary: it draws the seconds that a submission
 * asks for, keeps the times that the service states as the truth, and hides them where told.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { Agent, request } from "undici";
import { listen } from "../../http/listen.ts";

/** When a job truly entered a state, in the milliseconds of the machine's clock, cut off. */
export interface Truth {
  running: number;
  end: number;
}

export interface VaryingProxy {
  baseUrl: string;
  truths: ReadonlyMap<string, Truth>;
  close(): Promise<void>;
}

interface Choices {
  /** Seconds that a job runs, given those that were asked for. */
  seconds(asked: number): number;
  /** Whether job objects come without their times. */
  hidesTimes: boolean;
}

type Fields = Record<string, unknown>;

export async function startProxy(upstream: string, choices: Choices): Promise<VaryingProxy> {
  const truths = new Map<string, Truth>();
  const agent = new Agent({ connections: 128 });
  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    const isSubmission = incoming.method === "POST";
    const answer = await request(upstream + incoming.url, {
      method: isSubmission ? "POST" : "GET",
      dispatcher: agent,
      headers: headersOf(incoming, isSubmission),
      body: isSubmission ? varied(body, choices) : null,
    });
    const text = await answer.body.text();
    const isJob = !isSubmission && (incoming.url ?? "").startsWith("/v1/jobs/");
    answerWith(outgoing, answer.statusCode, isJob ? passedOn(text, truths, choices) : text);
  });
  server.keepAliveTimeout = 60_000;
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    truths,
    async close() {
      server.closeAllConnections();
      server.close();
      await agent.destroy();
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function headersOf(incoming: IncomingMessage, isSubmission: boolean): Record<string, string> {
  const key = { "x-api-key": String(incoming.headers["x-api-key"]) };
  return isSubmission ? { ...key, "content-type": "application/json" } : key;
}

function answerWith(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(text);
}

function varied(body: string, { seconds }: Choices): string {
  const input = JSON.parse(body) as Fields;
  return JSON.stringify({ ...input, seconds: seconds(Number(input.seconds)) });
}

function passedOn(text: string, truths: Map<string, Truth>, { hidesTimes }: Choices): string {
  const job = JSON.parse(text) as Fields;
  const times = (job.timestamps ?? {}) as Fields;
  const [running, end] = [times.started_at, times.finished_at].map((time) =>
    Date.parse(String(time)),
  );
  if (running !== undefined && end !== undefined && !Number.isNaN(end)) {
    truths.set(String(job.job_id), { running, end });
  }
  if (!hidesTimes) return text;
  const hidden = { ...times, started_at: null, finished_at: null, duration_ms: null };
  return JSON.stringify({ ...job, timestamps: hidden });
}
