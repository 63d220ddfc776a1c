/** Takes in the answer to one request: capped, by a time limit, as it came over the wire. */

import type { Dispatcher } from "undici";
import type { TransportError } from "../../contract/exchange.ts";
import { transportError } from "../../contract/transport-error.ts";

/** Ours: no answer of the service is near this size; an endless one must not fill memory. */
const BODY_BYTES_MAX = 1024 * 1024;

/** What came back; status 0 and an error where no whole answer did. */
export interface Received {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  error: TransportError | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Errors of the time before anything was sent; every other one then stands for `refused`. */
const UNSENT: readonly TransportError[] = ["refused", "dns", "tls"];

/** undici's view of a request. Whatever happens, `done` is called once. */
export class Answer implements Dispatcher.DispatchHandler {
  readonly #done: (received: Received) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(done: (received: Received) => void) {
    this.#done = done;
  }

  /** Called once a connection is there, before the first byte is sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection longer than it was waited for: it must not be sent any more.
    if (this.#isOver) controller.abort(new Error("given up before it was sent"));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // What is below 200 announces an answer. RFC 9110 §15.2.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  /** Of a longer body no part is of use: it is no answer of the service's. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    this.#chunks.push(chunk);
    if (this.#bytes <= BODY_BYTES_MAX) return;
    this.#chunks = [];
    controller.abort(new Error(`a body of more than ${BODY_BYTES_MAX} bytes`));
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks;
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#end(this.#status, flattened(this.#headers), bytes?.toString("utf8") ?? "", null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(transportError(error));
  }

  /** The time is up. */
  giveUp(): void {
    this.#fail("timeout");
    this.#controller?.abort(new Error("no answer in time"));
  }

  /** What never had a connection was never sent, whatever it was that took so long. */
  #fail(error: TransportError): void {
    const isUnsent = this.#controller === null && !UNSENT.includes(error);
    this.#end(0, {}, "", isUnsent ? "refused" : error);
  }

  #end(
    status: number,
    headers: Received["headers"],
    body: string,
    error: TransportError | null,
  ): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#chunks = [];
    this.#done({ status, headers, body, error });
  }
}

/** One value a name. Most answers have no name twice, and are passed on as they are. */
function flattened(headers: Headers): Received["headers"] {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
