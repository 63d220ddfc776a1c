/** The receiver's own thread: both listeners and what they share, so that no busy main thread
 * delays the stamping of arrivals. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { nowMs } from "../clock/system-clock.ts";
import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { messageOf } from "../contract/text/thrown.ts";
import { accessOf } from "./access.ts";
import { Connections } from "./connections.ts";
import { DeliveryStore } from "./delivery-store.ts";
import { HostLag } from "./host-lag.ts";
import { listen, ReceiverError } from "./listen.ts";
import type { ReceiverOptions } from "./options.ts";
import type { PublicParts } from "./public-listener.ts";
import { createPublicServer } from "./public-listener.ts";
import { QueryDesk } from "./query-desk.ts";
import { createQueryServer } from "./query-listener.ts";
import type { ReceiverStats } from "./query-schema.ts";
import { RefusingPort } from "./refusing-port.ts";
import { BodyReader } from "./request-body.ts";
import { RunQueue } from "./run-queue.ts";
import { createSignatureChecker } from "./signature.ts";
import type { Call, Failure, Reply, Request } from "./thread-protocol.ts";

interface Thread {
  /** Aborted at the end, so that nobody waits any longer. */
  closing: AbortController;
  access: ReceiverAccess;
  desk: QueryDesk;
  openRefusing: () => Promise<void>;
  stats: () => ReceiverStats;
  hostLag: HostLag;
  close: () => void;
}

async function startThread(options: ReceiverOptions, hostLag: HostLag): Promise<Thread> {
  const connections = new Connections(options.connectionsMax);
  const counts = { unknownPath: 0, wrongMethod: 0, foreignToken: 0 };
  let tooLong = 0;
  const bodies = new BodyReader(options, (request) => {
    // What was read before the end may still come in pieces.
    if (connections.wasEndedHere(request.socket)) return;
    tooLong += 1;
    connections.end(request.socket);
  });
  const store = new DeliveryStore(options);
  const checker = createSignatureChecker(options.signature);
  const parts: PublicParts = { options, store, connections, bodies, checker, counts };
  const desk = new QueryDesk(store, checker);
  const server = createPublicServer(parts);
  const late = createPublicServer(parts);
  const stats = statsOf(parts, hostLag, () => tooLong);
  const refusing = options.refusing ? await RefusingPort.reserve(late, options.listen.host) : null;
  const openRefusing = async () => refusing?.open();
  const publicPort = await listen(server, options.listen, "webhooks");
  // A request is answered in a later turn of the event loop than the one that opens the port.
  const query = createQueryServer({
    options,
    connections: new Connections(options.connectionsMax),
    desk,
    openRefusing,
    stats,
    access: () => access,
  });
  const queryPort = await listen(query, options.query, "queries");
  const access = accessOf(options, { publicPort, queryPort, refusing });
  const closing = new AbortController();
  return {
    closing,
    access,
    desk,
    openRefusing,
    stats,
    hostLag,
    close() {
      closing.abort();
      refusing?.release();
      for (const each of [server, late, query]) {
        each.close();
        each.closeAllConnections();
      }
    },
  };
}

function statsOf(parts: PublicParts, hostLag: HostLag, tooLong: () => number): () => ReceiverStats {
  const { store, connections, bodies, counts } = parts;
  const { beatMs, watchesMachine } = parts.options;
  const delay = monitorEventLoopDelay({ resolution: beatMs });
  delay.enable();
  const runQueue = new RunQueue();
  if (watchesMachine) runQueue.start();
  // The histogram counts from one sample to the next, which is the resolution when nothing delays.
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - beatMs);
  return () => ({
    ...store.usage,
    inflightBytes: bodies.inflightBytes,
    connections: connections.size,
    evictedDeliveries: store.evictedDeliveries,
    evictedTokens: store.evictedTokens,
    evictedConnections: connections.evicted,
    refused: { ...counts, pipelined: connections.pipelined, tooLong: tooLong() },
    loopDelayMsP99: delayMs(delay.percentile(99)),
    loopDelayMsMax: delayMs(delay.max),
    hostLagMs: hostLag.worstMs(),
    hostLags: [...hostLag.spans()],
    runnablePerCore: runQueue.perCore(),
    rssBytes: process.memoryUsage.rss(),
    now: nowMs(),
  });
}

function perform(thread: Thread, call: Call): unknown {
  const { signal } = thread.closing;
  switch (call.name) {
    case "deliveries":
      return thread.desk
        .deliveries(new Map([[call.token, 0]]), { waitMs: 0 }, signal)
        .then(({ deliveries }) => deliveries);
    case "arrivals":
      return thread.desk.arrivals(call.query, signal);
    case "forget":
      return thread.desk.forget(call.tokens);
    case "openRefusing":
      return thread.openRefusing();
    case "stats":
      return thread.stats();
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof ReceiverError) return { code: error.code, message: error.message };
  return { code: "thread-died", message: messageOf(error) };
}

function serve(thread: Thread, port: MessagePort): void {
  const reply = (message: Reply) => port.postMessage(message);
  port.on("message", async (request: Request) => {
    if (request.kind === "close") {
      thread.close();
      // Nothing keeps the thread now: long polls and delayed answers ended with their connections.
      port.close();
      return;
    }
    if (request.kind === "pong") {
      thread.hostLag.pong();
      return;
    }
    const { id, call } = request;
    try {
      reply({ kind: "answer", id, answer: await perform(thread, call) });
    } catch (error) {
      reply({ kind: "error", id, failure: failureOf(error) });
    }
  });
  reply({ kind: "started", access: thread.access });
}

const main = parentPort;
if (main === null) throw new Error("receiver-thread runs as a worker thread only");
try {
  const options = workerData as ReceiverOptions;
  const ping = () => main.postMessage({ kind: "ping" } satisfies Reply);
  const hostLag = new HostLag(options.watchesMachine ? ping : null, options.beatMs);
  serve(await startThread(options, hostLag), main);
} catch (error) {
  main.postMessage({ kind: "failed", failure: failureOf(error) } satisfies Reply);
  // What was opened before the failure must not keep the thread.
  process.exit();
}
