/** Senders that no service should be: what they send is kept as it came, or turned away. */

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Receiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { closed } from "../http/closed.ts";
import { serveOn } from "../http/serve.ts";
import { asked, OK, open, secretHeaders, webhook } from "./open-receiver.ts";
import { post } from "./post.ts";

/** Writes the bytes over one connection; what came back once it was closed. */
async function write(receiver: Receiver, whole: string) {
  const { hostname, port } = new URL(receiver.access.publicUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = "";
  socket.on("data", (bytes: Buffer) => {
    answer += bytes.toString();
  });
  const over = closed(socket);
  await once(socket, "connect");
  socket.write(whole);
  return { socket, answered: over.then(() => answer) };
}

const BODY = '{"event":"job.completed","text":"späße"}';

describe("a delivery", () => {
  it.each([
    [covers("of HTML", "17 receiver"), "<!doctype html><title>x</title>"],
    [covers("that is nested deeply", "19 receiver"), "[".repeat(100_000)],
    [covers("with names that every object has", "20 receiver"), '{"__proto__":{"polluted":1}}'],
  ])("%s is text, as it came", async (_, body) => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [OK]);
    expect((await post(url, { body })).status).toBe(200);
    expect(await asked(receiver, token)).toMatchObject([{ body, truncated: false }]);
  });

  it(covers("that would unpack to more than is kept stays packed", "15 receiver"), async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [OK]);
    const body = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect((await post(url, { body, headers: { "content-encoding": "gzip" } })).status).toBe(200);
    expect(await asked(receiver, token)).toMatchObject([
      { bodyBytes: body.length, truncated: true },
    ]);
    expect((await receiver.stats()).bytes).toBeLessThan(4 * body.length);
  });

  it(
    covers("that is sent again, signature and all, is an attempt of its own", "42 receiver"),
    async () => {
      const receiver = await open();
      const { token, url } = webhook(receiver, [OK]);
      const headers = { "webhook-id": "msg_1", "x-service-signature": "sha256=00" };
      for (let time = 0; time < 3; time += 1) await post(url, { body: BODY, headers });
      const attempts = (await asked(receiver, token, 2)).map(({ attempt }) => attempt);
      expect(attempts).toEqual([3]);
      expect(await receiver.deliveries(token)).toHaveLength(3);
    },
  );
});

it(covers("a query for names that every object has finds nothing", "20 receiver"), async () => {
  const receiver = await open();
  const body = '{"tokens":{"__proto__":0,"constructor":0,"toString":0},"waitMs":0}';
  const url = `${receiver.access.queryUrl}/deliveries`;
  const { token, url: other } = webhook(receiver, [OK]);
  await post(other);
  const answer = await fetch(url, { method: "POST", body, headers: secretHeaders(receiver) });
  expect([answer.status, await answer.json()]).toMatchObject([200, { deliveries: [] }]);
  expect(await asked(receiver, token)).toHaveLength(1);
});

it(
  covers("a request for another host's address is passed on to nobody", "45 receiver"),
  async () => {
    let visits = 0;
    const inner = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    const receiver = await open();
    const goal = `127.0.0.1:${await serveOn(inner)}`;
    const target = `http://${goal}/d/abcdefghijklmnopqr/200?url=http://${goal}/`;
    for (const line of [`POST ${target}`, `GET ${target}`, `CONNECT ${goal}`]) {
      const head = `${line} HTTP/1.1\r\nhost: ${goal}\r\nconnection: close\r\n`;
      const { socket, answered } = await write(receiver, `${head}content-length: 0\r\n\r\n`);
      setTimeout(() => socket.destroy(), 2_000);
      await answered;
    }
    expect(visits).toBe(0);
  },
);
