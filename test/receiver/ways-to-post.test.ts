/** Deliveries as HTTP allows to write them, byte for byte: each of them has been delivered. */

import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { asked, OK, open, webhook } from "./open-receiver.ts";

const BODY = '{"event":"job.completed","text":"ü"}';
const LENGTH = `Content-Length: ${Buffer.byteLength(BODY)}`;

/** In pieces of a few bytes, as RFC 9112 §7.1 has it, with a trailer. */
function chunked(bytes: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
    bytes.subarray(at * 7, at * 7 + 7),
  );
  return Buffer.concat([
    ...pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)};piece=1\r\n`),
      piece,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("0\r\nX-Digest: none\r\n\r\n"),
  ]);
}

interface Post {
  /** `PATH` and `ORIGIN` stand for the webhook's own. */
  head: readonly string[];
  body: Buffer;
  /** What has to come before the body is sent. */
  awaits?: string;
}

const WAYS: readonly (readonly [string, Post])[] = [
  [
    "that awaits 100 Continue",
    {
      head: ["POST PATH HTTP/1.1", "Host: a", "Expect: 100-continue", LENGTH],
      body: Buffer.from(BODY),
      awaits: "HTTP/1.1 100",
    },
  ],
  [
    "in chunks",
    {
      head: ["POST PATH HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Trailer: X-Digest"],
      body: chunked(Buffer.from(BODY)),
    },
  ],
  [
    "in chunks of a packed body",
    {
      head: [
        "POST PATH HTTP/1.1",
        "Host: a",
        "Transfer-Encoding: chunked",
        "Content-Encoding: GZIP",
      ],
      body: chunked(gzipSync(BODY)),
    },
  ],
  [
    "by HTTP/1.0, without a host",
    { head: ["POST PATH HTTP/1.0", LENGTH], body: Buffer.from(BODY) },
  ],
  [
    "by HTTP/1.0, whose connection is kept",
    {
      head: ["POST PATH HTTP/1.0", "Connection: keep-alive", LENGTH],
      body: Buffer.from(BODY),
    },
  ],
  [
    "whose target is all of the address",
    { head: ["POST ORIGINPATH HTTP/1.1", "Host: a", LENGTH], body: Buffer.from(BODY) },
  ],
];

/** What came back first, or after what was awaited. */
async function answered(url: string, { head, body, awaits }: Post): Promise<string> {
  const { origin, pathname, port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = head.map((line) => line.replace("ORIGIN", origin).replace("PATH", pathname));
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (awaits !== undefined) {
    const [bytes] = await once(socket, "data");
    expect(String(bytes)).toContain(awaits);
  }
  socket.write(body);
  const [bytes] = await once(socket, "data");
  socket.destroy();
  return String(bytes);
}

it.each(WAYS)("a delivery %s is taken", async (_, post) => {
  const receiver = await open();
  const { token, url } = webhook(receiver, [OK]);
  expect(await answered(url, post)).toContain(" 200 OK");
  expect(await asked(receiver, token)).toMatchObject([{ body: BODY, truncated: false }]);
});
