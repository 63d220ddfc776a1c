/** Clients and webhook receivers that behave as none should: the service stays up, and bounded. */

import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { startReference } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import * as fronts from "../fronts/certificate.ts";
import { closed } from "../http/closed.ts";
import { serveOn } from "../http/serve.ts";
import * as expired from "../probe/client/expired-certificate.ts";
import { bigKey } from "./big-key.ts";
import type { Caller } from "./client.ts";
import { start } from "./client.ts";
import { openReference } from "./open-reference.ts";

const INPUT = '{"text":"späße"}';
const PATH = "/v1/workers/echo/jobs";

interface Sending {
  body: string | Buffer;
  /** Of the header; the body's own where it is left out. */
  length?: number;
  headers?: Readonly<Record<string, string>>;
  /** Bytes that are sent at once, and the time between them; all at once where left out. */
  piece?: number;
  gapMs?: number;
  /** The connection ends after the last byte. */
  ends?: boolean;
}

/** Sends one submission over a socket, and gives back what came until the connection was closed. */
async function send({ service }: Caller, sending: Sending): Promise<string> {
  const { body, length = Buffer.byteLength(body), headers = {}, gapMs = 0, ends = false } = sending;
  const { hostname, port } = new URL(service.baseUrl);
  const key = bigKey(service);
  const all = { host: "x", connection: "close", "x-api-key": key, ...headers };
  const lines = Object.entries({ ...all, "content-length": length }).map((pair) => pair.join(": "));
  const head = [`POST ${PATH} HTTP/1.1`, ...lines, "", ""].join("\r\n");
  const whole = Buffer.concat([Buffer.from(head), Buffer.from(body)]);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  const over = closed(socket);
  await once(socket, "connect");
  const piece = sending.piece ?? whole.length;
  for (let at = 0; at < whole.length && socket.writable; at += piece) {
    socket.write(whole.subarray(at, at + piece));
    if (piece < whole.length) await sleep(gapMs);
  }
  if (ends) socket.end();
  await over;
  return answer;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

async function jobsOf(caller: Caller): Promise<number> {
  return ((await caller.get("/v1/jobs")).body.jobs as unknown[]).length;
}

/** Longer on its way than any test takes. */
const DRIPPING = { body: INPUT, headers: { "x-filler": "x".repeat(4_000) }, piece: 1, gapMs: 40 };

const DEEP = `{"text":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
const PROTOTYPE = '{"text":"x","__proto__":{"style":"upper"},"constructor":{"prototype":{}}}';

describe("a submission", () => {
  it.each<[string, Sending, number]>([
    [covers("of HTML", "17 reference"), { body: "<!doctype html><title>x</title>" }, 400],
    [
      covers("that is packed, whatever it would unpack to", "15 reference"),
      {
        // A job's input, to one who would unpack it.
        body: gzipSync(INPUT.padEnd(8 * 1024 * 1024)),
        headers: { "content-encoding": "gzip" },
      },
      400,
    ],
    [
      covers("with bytes that are no text", "18 reference"),
      { body: Buffer.concat([Buffer.from('{"text":"'), Buffer.of(0xff, 0xc3), Buffer.from('"}')]) },
      202,
    ],
    [covers("that is nested deeply", "19 reference"), { body: DEEP }, 422],
    [covers("with names that every object has", "20 reference"), { body: PROTOTYPE }, 422],
    [covers("that is too long", "14 reference"), { body: INPUT.padEnd(1_100_000) }, 413],
  ])("%s is answered, and the next one as well", async (_, sending, status) => {
    const caller = await start();
    expect(statusOf(await send(caller, sending))).toBe(status);
    expect(await jobsOf(caller)).toBe(status === 202 ? 1 : 0);
    expect(statusOf(await send(caller, { body: INPUT }))).toBe(202);
  });

  it.each<[string, Sending]>([
    [covers("that ends in mid-body", "16 reference"), { body: INPUT, length: 99, ends: true }],
    [covers("whose header takes too long", "4 reference"), DRIPPING],
  ])("%s starts no job, and holds no connection", async (_, sending) => {
    const caller = await start({ requestLimitMs: 3_000 });
    expect([0, 400, 408]).toContain(statusOf(await send(caller, sending)));
    expect(await jobsOf(caller)).toBe(0);
  });
});

describe("an identifier in a path", () => {
  it.each(["../../etc/passwd", "%00", "%2e%2e%2f", "x".repeat(10_000), "__proto__", "%ff%fe"])(
    covers("such as %s is one that nobody knows", "21 reference"),
    async (id) => {
      const caller = await start();
      expect((await caller.get(`/v1/jobs/${id}`)).status).toBe(404);
      expect((await caller.get("/v1/me")).status).toBe(200);
    },
  );
});

it(
  covers("an amount beyond all measure starts no job, and costs nothing", "24 reference"),
  async () => {
    const caller = await start();
    const balance = async () => (await caller.get("/v1/me/credits")).body.balance;
    const before = await balance();
    for (const events of ["1e308", "-1e308", "-1", "null", "1e999", '"NaN"']) {
      const reply = await caller.call("POST", "/v1/workers/metered/jobs", `{"events":${events}}`);
      expect([events, reply.status]).toEqual([events, expect.toBeOneOf([402, 422])]);
    }
    expect(await balance()).toBe(before);
  },
);

it(covers("a port that is taken is told with its address", "36 reference"), async () => {
  const { service } = await start();
  const { port } = new URL(service.baseUrl);
  await expect(startReference({ port: Number(port) })).rejects.toThrow(/EADDRINUSE.*127\.0\.0\.1/);
});

describe("a webhook", () => {
  /**
   * Posts to each connection by hand, as long as it lasts; the count of those that are over, and
   * what this process, which is the service's as well, held each time that more was taken.
   */
  async function receiver(answer: string, fill: boolean) {
    let ended = 0;
    const heldBytes: number[] = [];
    const server = createServer((socket) => {
      socket.on("close", () => {
        ended += 1;
      });
      socket.on("error", () => {});
      socket.write(answer);
      const more = () => {
        while (fill && !socket.destroyed && socket.write("x".repeat(65_536)));
        heldBytes.push(process.memoryUsage().arrayBuffers);
      };
      socket.on("drain", more).resume();
      more();
    });
    return { port: await serveOn(server), ended: () => ended, heldBytes };
  }

  it(
    covers("that is answered without end holds neither memory nor job", "44 reference"),
    async () => {
      const head = "HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n";
      const { port, ended, heldBytes } = await receiver(head, true);
      // In this time scale a service that read on would do so for a second.
      const caller = await start({ timeScale: 0.2 });
      const webhook = `http://127.0.0.1:${port}/`;
      const ids = [];
      for (let n = 0; n < 5; n += 1) ids.push(await caller.submit("echo", { text: "x", webhook }));
      for (const id of ids) expect((await caller.follow(id)).status).toBe("SUCCEEDED");
      await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
      expect(heldBytes.length).toBeGreaterThanOrEqual(5);
      expect(Math.max(...heldBytes)).toBeLessThan(64 * 1024 * 1024);
    },
  );

  it.each([
    [
      covers("to a certificate that has expired", "11 reference"),
      "localhost",
      expired.EXPIRED_CERTIFICATE,
      expired.EXPIRED_CERTIFICATE_KEY,
    ],
    [
      covers("to a certificate of another host", "12 reference"),
      "127.0.0.2",
      fronts.LOCALHOST_CERTIFICATE,
      fronts.LOCALHOST_CERTIFICATE_KEY,
    ],
  ])("%s is not sent, and tried again", async (_, host, cert, key) => {
    const trusted = getCACertificates();
    setDefaultCACertificates([
      ...trusted,
      expired.EXPIRED_CERTIFICATE,
      fronts.AUTHORITY_CERTIFICATE,
    ]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    let [handshakes, posts] = [0, 0];
    const server = createTlsServer({ cert, key }, () => {
      posts += 1;
    });
    server.on("tlsClientError", () => {
      handshakes += 1;
    });
    const port = await serveOn(server, host === "localhost" ? "127.0.0.1" : host);
    // In this time scale a handshake has two seconds, and the first retry comes after one.
    const caller = await start({ timeScale: 0.2 });
    await caller.submit("echo", { text: "x", webhook: `https://${host}:${port}/` });
    await expect.poll(() => handshakes, { timeout: 60_000 }).toBeGreaterThan(1);
    expect(posts).toBe(0);
  });
});

it("more connections than it may hold are closed at once, and the others served", async () => {
  const service = await openReference({ connectionsMax: 20 });
  const { hostname, port } = new URL(service.baseUrl);
  const sockets = Array.from({ length: 40 }, () => connect(Number(port), hostname));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let gone = 0;
  await new Promise<void>((resolve) => {
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.resume();
      socket.on("close", () => {
        gone += 1;
        if (gone === 20) resolve();
      });
    }
  });
  const open = sockets.find((socket) => !socket.destroyed);
  if (open === undefined) throw new Error("all were closed");
  const answered = once(open, "data");
  open.write("GET /v1/account HTTP/1.1\r\nhost: x\r\n\r\n");
  expect(String(await answered)).toMatch(/^HTTP\/1.1 401 /);
  expect(gone).toBe(20);
});
