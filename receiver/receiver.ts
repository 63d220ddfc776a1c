/** Starts the webhook receiver in a thread of its own, and speaks with it. */

import { once } from "node:events";
import { Worker } from "node:worker_threads";

import type { ArrivalsAnswer, Delivery, ReceiverAccess } from "../contract/jobs/delivery.ts";
import { ReceiverError } from "./listen.ts";
import type { GivenReceiverOptions, ReceiverOptions } from "./options.ts";
import { fillOptions } from "./options.ts";
import type { ReceiverStats } from "./query-schema.ts";
import type { ArrivalsQuery } from "./questions.ts";
import { readArrivalsQuery } from "./questions.ts";
import { createSignatureChecker } from "./signature.ts";
import type { Call, Calls, Reply, Request } from "./thread-protocol.ts";

export interface Receiver {
  access: ReceiverAccess;
  /** What its query address asks for. */
  querySecret: string;
  /** Opens the port that refused so far; does nothing without `refusing`. */
  openRefusing(): Promise<void>;
  /** What arrived for a token so far, in the order of arrival. */
  deliveries(token: string): Promise<Delivery[]>;
  /** What arrived after `next` of the last answer, for any token. */
  arrivals(query?: Partial<ArrivalsQuery>): Promise<ArrivalsAnswer>;
  /** Frees what is kept of these tokens; should one be posted to again, its script restarts. */
  forget(tokens: readonly string[]): Promise<void>;
  stats(): Promise<ReceiverStats>;
  /** Ends both listeners, all connections and the thread; pending answers are never given. */
  close(): Promise<void>;
}

/** Throws ReceiverError `listen-failed` when an address can't be listened on. */
export async function startReceiver(given: GivenReceiverOptions = {}): Promise<Receiver> {
  const options = fillOptions(given);
  // Made here only to refuse a malformed secret before anything is opened.
  createSignatureChecker(options.signature);
  const thread = new ReceiverThread(options);
  return {
    access: await thread.started,
    querySecret: options.querySecret,
    openRefusing: () => thread.call({ name: "openRefusing" }),
    deliveries: (token) => thread.call({ name: "deliveries", token }),
    arrivals: (query = {}) => thread.call({ name: "arrivals", query: readArrivalsQuery(query) }),
    forget: (tokens) => thread.call({ name: "forget", tokens }),
    stats: () => thread.call({ name: "stats" }),
    close: () => thread.close(),
  };
}

interface Pending {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Run from source the thread's file is TypeScript; in the published package it is compiled. */
const IS_SOURCE = import.meta.url.endsWith(".ts");
const THREAD_FILE = IS_SOURCE ? "./receiver-thread.ts" : "./receiver-thread.js";
/** Ours: closing sockets takes milliseconds; whatever takes longer is ended the hard way. */
const CLOSE_MS_MAX = 2_000;

/**
 * Ours: several times what lives of a moment's deliveries. Left to itself the thread's young
 * generation was seen to double up to 128 MB, at fifty deliveries a second, before it shrank again.
 */
const MEMORY = { maxYoungGenerationSizeMb: 16 };

const PONG: Request = { kind: "pong" };

/**
 * The thread needs nothing of the environment, which may hold keys, but where Node keeps compiled
 * code: without it each start takes 250 ms of processor time instead of 100.
 */
function threadEnvironment(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}

class ReceiverThread {
  readonly started: Promise<ReceiverAccess>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #end: ReceiverError | null = null;

  constructor(options: ReceiverOptions) {
    this.#worker = new Worker(new URL(THREAD_FILE, import.meta.url), {
      workerData: options,
      env: threadEnvironment(),
      execArgv: [],
      name: "webhook-receiver",
      resourceLimits: MEMORY,
    });
    this.started = new Promise((resolve, reject) => {
      this.#worker.on("message", (reply: Reply) => {
        if (reply.kind === "started") resolve(reply.access);
        else if (reply.kind === "failed") reject(errorOf(reply.failure));
        else if (reply.kind === "ping") this.#worker.postMessage(PONG);
        else this.#settle(reply);
      });
      const died = (reason: string, cause?: unknown) => {
        const message = `the webhook receiver ended: ${reason}`;
        this.#end ??= new ReceiverError("thread-died", message, { cause });
        reject(this.#end);
        for (const { reject: rejectCall } of this.#pending.values()) rejectCall(this.#end);
        this.#pending.clear();
      };
      this.#worker.on("error", (error) => died(String(error), error));
      this.#worker.on("exit", (code) => died(`its thread stopped with code ${code}`));
    });
  }

  call<Name extends keyof Calls>(
    call: Extract<Call, { name: Name }>,
  ): Promise<Calls[Name]["answer"]> {
    if (this.#end !== null) return Promise.reject(this.#end);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const taken = (answer: unknown) => resolve(answer as Calls[Name]["answer"]);
      this.#pending.set(id, { resolve: taken, reject });
      this.#worker.postMessage({ kind: "call", id, call } satisfies Request);
    });
  }

  async close(): Promise<void> {
    if (this.#end !== null) return;
    this.#end = new ReceiverError("closed", "the webhook receiver is closed");
    const exit = once(this.#worker, "exit");
    this.#worker.postMessage({ kind: "close" } satisfies Request);
    const hard = setTimeout(() => void this.#worker.terminate(), CLOSE_MS_MAX);
    await exit;
    clearTimeout(hard);
  }

  #settle(reply: Extract<Reply, { id: number }>): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.kind === "answer") pending?.resolve(reply.answer);
    else pending?.reject(errorOf(reply.failure));
  }
}

function errorOf({ code, message }: { code: ReceiverError["code"]; message: string }) {
  return new ReceiverError(code, message);
}
