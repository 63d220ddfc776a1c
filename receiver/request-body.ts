/** Reads request bodies within bounds: of one body, and of all that are being read at a time. */

import type { IncomingMessage } from "node:http";

import type { BodyCheck } from "./signature.ts";

export interface ReadBody {
  /** As much as the cap allows. */
  kept: Buffer;
  bytes: number;
  /** Has taken all of a body that is longer than the cap; null of one that is kept whole. */
  check: BodyCheck | null;
  /** `broken-off`: the connection ended first, from either side. */
  end: "complete" | "broken-off";
}

/** Ours: past the cap a sender may go on for a while, as a body is only read to be answered. */
const CUT_AT_CAPS = 4;
/** Ours: bodies on their way take no more than this share of what may be kept. */
const INFLIGHT_SHARE = 0.25;

interface Inflight {
  request: IncomingMessage;
  bytes: number;
}

export class BodyReader {
  readonly #capBytes: number;
  readonly #inflightCapBytes: number;
  readonly #cutOff: (request: IncomingMessage) => void;
  /** In the order in which they began. */
  readonly #inflight = new Set<Inflight>();
  #inflightBytes = 0;

  /** `cutOff` ends the connection of a request because of what it sends. */
  constructor(
    limits: { bodyCapBytes: number; memoryCapBytes: number },
    cutOff: (request: IncomingMessage) => void,
  ) {
    this.#cutOff = cutOff;
    this.#capBytes = limits.bodyCapBytes;
    this.#inflightCapBytes = limits.memoryCapBytes * INFLIGHT_SHARE;
  }

  get inflightBytes(): number {
    return this.#inflightBytes;
  }

  /**
   * Calls `done` once: at the end of the body, or when there will be none. `beginCheck` is asked
   * for a check of what is longer than the cap.
   */
  read(
    request: IncomingMessage,
    beginCheck: () => BodyCheck,
    done: (body: ReadBody) => void,
  ): void {
    const chunks: Buffer[] = [];
    let check: BodyCheck | null = null;
    const own: Inflight = { request, bytes: 0 };
    let bytes = 0;
    let isOpen = true;
    const finish = (end: ReadBody["end"]) => {
      if (!isOpen) return;
      isOpen = false;
      this.#inflight.delete(own);
      this.#inflightBytes -= own.bytes;
      done({ kept: Buffer.concat(chunks), bytes, check, end });
    };
    this.#inflight.add(own);
    request.on("data", (chunk: Buffer) => {
      if (!isOpen) return;
      bytes += chunk.length;
      if (check === null && bytes > this.#capBytes) {
        check = beginCheck();
        for (const before of chunks) check.take(before);
      }
      check?.take(chunk);
      const piece = chunk.subarray(0, this.#capBytes - own.bytes);
      if (piece.length > 0) chunks.push(piece);
      this.#grow(own, piece.length);
      if (isOpen && bytes > this.#capBytes * CUT_AT_CAPS) this.#cutOff(request);
    });
    request.on("end", () => finish("complete"));
    request.on("close", () => finish("broken-off"));
  }

  /** Whole bodies come at once; what has been on its way for longest is the likeliest to stall. */
  #grow(own: Inflight, bytes: number): void {
    own.bytes += bytes;
    this.#inflightBytes += bytes;
    if (this.#inflightBytes <= this.#inflightCapBytes) return;
    const [oldest] = this.#inflight;
    if (oldest !== undefined) this.#cutOff(oldest.request);
  }
}
