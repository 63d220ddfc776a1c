/** Takes in the answer to one request: capped, packed or not, and by a time limit. */

import type { Dispatcher } from "undici";
import type { TransportError } from "../contract/requests/exchange.ts";
import { asUnread, BODY_LENGTH_MAX } from "../contract/requests/exchange.ts";
import { transportError } from "../contract/requests/transport-error.ts";
import { unpacked } from "./unpack.ts";

/** Ours: of all answers on their way to one client; endless ones must not fill its memory. */
const ROOM_BYTES = 64 * 1024 * 1024;

/** Where the answers to one client are kept until they are whole. */
export class Room {
  #left = ROOM_BYTES;

  /** Whether there is so much of it. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** What came back; status 0 and an error where no whole answer did. */
export interface Received {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  error: TransportError | null;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Errors of the time before anything was sent. */
const UNSENT: readonly TransportError[] = ["refused", "dns", "tls", "local"];

/** undici's view of a request. Whatever happens, `done` is called once. */
export class Answer implements Dispatcher.DispatchHandler {
  readonly #done: (received: Received) => void;
  readonly #room: Room;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(done: (received: Received) => void, room: Room) {
    this.#done = done;
    this.#room = room;
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

  /** A longer body is not read, and says nothing of the service. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += chunk.byteLength;
    this.#chunks.push(chunk);
    const hasRoom = this.#room.take(chunk.byteLength);
    if (hasRoom && this.#bytes <= BODY_LENGTH_MAX) return;
    this.#leaveUnread();
    controller.abort(new Error("a body of more bytes than are read"));
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks;
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks);
    const headers = flattened(this.#headers);
    const body = unpacked(bytes ?? Buffer.alloc(0), headers["content-encoding"], BODY_LENGTH_MAX);
    if (body === "too-long") this.#leaveUnread();
    else if (body === "not-whole") this.#fail("other");
    else this.#end(this.#status, headers, body.toString("utf8"), null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(transportError(error));
  }

  /** The time is up. */
  giveUp(): void {
    this.#fail("timeout");
    this.#controller?.abort(new Error("no answer in time"));
  }

  /**
   * What never had a connection was never sent, whatever it was that took so long. What had one may
   * have been sent, also where a route is lost or a record is spoilt on the way: a job may exist.
   */
  #fail(error: TransportError): void {
    const isOfUnsent = UNSENT.includes(error);
    if (this.#controller === null) this.#end(0, {}, "", isOfUnsent ? error : "refused");
    else this.#end(0, {}, "", isOfUnsent ? "reset" : error);
  }

  #leaveUnread(): void {
    const headers = flattened(this.#headers);
    const unread = asUnread({ status: this.#status, headers, body: "", error: null });
    this.#end(unread.status, unread.headers, unread.body, unread.error);
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
    this.#room.giveBack(this.#bytes);
    this.#done({ status, headers, body, error });
  }
}

/** One value a name. Most answers have no name twice. RFC 9110 §5.2. */
function flattened(headers: Headers): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
