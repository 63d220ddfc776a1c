/** Reads an HTTP/1.1 answer as it arrives, as far as a witness needs it. RFC 9112. */

/** Ours: a witness quotes some hundred characters; an endless head or body must not fill memory. */
const BYTES_MAX = 256 * 1024;

const HEAD_END = "\r\n\r\n";

export class RawAnswerParser {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  #bytes: Buffer = Buffer.alloc(0);

  get hasHead(): boolean {
    return this.status !== 0;
  }

  /** Takes more bytes; true once nothing more needs to be read. */
  add(bytes: Buffer): boolean {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (!this.hasHead && this.#takeHead()) {}
    return this.#bytes.length > BYTES_MAX || (this.hasHead && this.#isBodyComplete());
  }

  /** The body so far, without the framing of chunks. */
  get body(): string {
    if (!this.hasHead) return "";
    return (this.#isChunked ? dechunked(this.#bytes).body : this.#bytes).toString("utf8");
  }

  get #isChunked(): boolean {
    return /\bchunked\b/i.test(this.headers["transfer-encoding"] ?? "");
  }

  /** Interim answers (1xx) come before the one that counts. RFC 9110 §15.2. */
  #takeHead(): boolean {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return false;
    const [statusLine = "", ...lines] = this.#bytes.toString("latin1", 0, end).split("\r\n");
    this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0);
    if (status >= 100 && status < 200) return true;
    this.status = status;
    this.headers = Object.fromEntries(lines.map(headerField));
    return false;
  }

  #isBodyComplete(): boolean {
    if (this.#isChunked) return dechunked(this.#bytes).complete;
    const length = this.headers["content-length"];
    return length !== undefined && this.#bytes.length >= Number(length);
  }
}

function headerField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).trim()];
}

/** RFC 9112 §7.1; trailers are not read. */
function dechunked(bytes: Buffer): { body: Buffer; complete: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at), 16);
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), complete: false };
    if (size === 0) return { body: Buffer.concat(parts), complete: true };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
