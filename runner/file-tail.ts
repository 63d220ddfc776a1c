/** Follows a growing text file line by line; polled, as file events get lost on busy machines. */

import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

/** Ours: what the trial of a key observes, some 60 characters a request, at 2,000 a second. */
export const LINE_CHARS_MAX = 8 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

export class FileTail {
  readonly #path: string;
  readonly #onLine: (line: string | null) => void;
  readonly #decoder = new StringDecoder("utf8");
  #position = 0;
  #partial = "";
  #skipping = false;
  #reading: Promise<void> = Promise.resolve();

  /** `onLine` gets each complete line without its end, or null for one that was too long. */
  constructor(path: string, onLine: (line: string | null) => void) {
    this.#path = path;
    this.#onLine = onLine;
  }

  /** Reads what has been appended since the last time. Never rejects; calls are served in turn. */
  poll(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn()).catch(() => {});
    return this.#reading;
  }

  /** Reads to the end, and takes what is left without a line end for a line. */
  async finish(): Promise<void> {
    await this.poll();
    this.#accept(this.#decoder.end());
    if (this.#partial !== "" && !this.#skipping) this.#onLine(this.#partial);
    this.#partial = "";
  }

  async #readOn(): Promise<void> {
    const file = await open(this.#path, "r").catch(() => null);
    if (file === null) return;
    try {
      await this.#readChunks(file);
    } finally {
      await file.close();
    }
  }

  async #readChunks(file: FileHandle): Promise<void> {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#accept(this.#decoder.write(buffer.subarray(0, bytesRead)));
    }
  }

  #accept(text: string): void {
    const lines = (this.#partial + text).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) this.#deliver(line);
    if (this.#partial.length > LINE_CHARS_MAX) {
      this.#partial = "";
      if (!this.#skipping) this.#onLine(null);
      this.#skipping = true;
    }
  }

  #deliver(line: string): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    this.#onLine(line.length > LINE_CHARS_MAX ? null : line);
  }
}
