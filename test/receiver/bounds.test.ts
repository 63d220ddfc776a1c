/** What senders can't do: fill the memory, hold connections for ever, or move other answers. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { beats } from "../../clock/beats.ts";
import { createSystemClock } from "../../clock/system-clock.ts";
import type { Delivery } from "../../contract/jobs/delivery.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { closed } from "../http/closed.ts";
import { answer, asked, eventually, OK, open, secretHeaders, webhook } from "./open-receiver.ts";
import { newToken, nowMs, post } from "./post.ts";

const FLOOD = join(import.meta.dirname, "flood.ts");

/** An open connection to the public address. */
async function connection(receiver: Receiver, at = receiver.access.publicUrl): Promise<Socket> {
  const { hostname, port } = new URL(at);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

function head(receiver: Receiver, token: string, length: number): string {
  const { pathname } = new URL(webhook(receiver, [OK], token).url);
  return `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;
}

describe("a body", () => {
  const limits = { bodyCapBytes: 1_000, memoryCapBytes: 1_000_000 };

  it(
    covers("over the cap is kept in part, and answered by the script", "14 receiver"),
    async () => {
      const receiver = await open(limits);
      const { token, url } = webhook(receiver, [answer(202)]);
      expect((await post(url, { body: "x".repeat(4_000) })).status).toBe(202);
      const [delivery] = await asked(receiver, token);
      expect(delivery).toMatchObject({ bodyBytes: 4_000, truncated: true });
      expect(delivery?.body).toBe("x".repeat(1_000));
    },
  );

  it(covers("of more than four caps is cut off", "14 receiver"), async () => {
    const receiver = await open(limits);
    const { token, url } = webhook(receiver, [OK]);
    const body = "x".repeat(1_000_000);
    expect((await post(url, { body })).status).toBe(0);
    const [delivery] = await asked(receiver, token);
    expect(delivery).toMatchObject({ truncated: true, hungUpAtMs: null });
    expect(delivery?.body).toHaveLength(1_000);
    expect(await receiver.stats()).toMatchObject({ inflightBytes: 0, refused: { tooLong: 1 } });
  });

  it(covers("that ends too early is kept as far as it came", "16 receiver"), async () => {
    const receiver = await open();
    const token = newToken();
    const socket = await connection(receiver);
    socket.end(`${head(receiver, token, 100)}{"job`);
    const [delivery] = await asked(receiver, token);
    expect(delivery).toMatchObject({ body: '{"job', truncated: true, answeredAtMs: null });
    expect(delivery?.hungUpAtMs).not.toBeNull();
  });

  it("on its way for longest gives way when too many are", async () => {
    const receiver = await open({ bodyCapBytes: 1_000, memoryCapBytes: 4_000 });
    const sockets = [await connection(receiver), await connection(receiver)] as const;
    sockets[0].write(`${head(receiver, newToken(), 2_000)}${"x".repeat(900)}`);
    await eventuallyStats(receiver, ({ inflightBytes }) => inflightBytes === 900);
    sockets[1].write(`${head(receiver, newToken(), 2_000)}${"x".repeat(900)}`);
    await closed(sockets[0]);
    expect(await receiver.stats()).toMatchObject({ inflightBytes: 900 });
    sockets[1].destroy();
  });
});

async function eventuallyStats(
  receiver: Receiver,
  holds: (stats: Awaited<ReturnType<Receiver["stats"]>>) => boolean,
): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (holds(await receiver.stats())) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`not so within 10 s: ${JSON.stringify(await receiver.stats())}`);
}

/** Bytes that come without an end, each long before an idle connection would be closed. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 40);
  socket.on("error", () => {});
  socket.once("close", () => clearInterval(timer));
}

it("of a long head each part is kept as far as a reader is shown it", async () => {
  const receiver = await open();
  const { token, url } = webhook(receiver, [OK]);
  const [type, name] = ["t", "n"].map((char) => char.repeat(5_000));
  await post(url, { headers: { "content-type": type ?? "", "x-name": name ?? "" } });
  const [delivery] = await asked(receiver, token);
  expect(delivery?.contentType).toBe("t".repeat(200));
  expect(delivery?.headers["x-name"]).toBe("n".repeat(200));
});

describe("a connection", () => {
  it(covers("that sends its header too slowly is closed", "4 receiver"), async () => {
    const receiver = await open({ headerTimeoutMs: 200 });
    const socket = await connection(receiver);
    socket.write("POST /d/abcdefghijklmnop");
    drip(socket, "q");
    await closed(socket);
  });

  it(covers("that is idle makes room when all are taken", "3 receiver"), async () => {
    const receiver = await open({ connectionsMax: 2 });
    const held = webhook(receiver, [{ kind: "silent" }]);
    const holding = post(held.url);
    await asked(receiver, held.token);
    const idle = await connection(receiver);
    const gone = closed(idle);
    expect((await post(webhook(receiver, [OK]).url)).status).toBe(200);
    await gone;
    const [delivery] = await receiver.deliveries(held.token);
    expect(delivery).toMatchObject({ answeredAtMs: null, hungUpAtMs: null });
    await receiver.close();
    await holding;
  });

  it("that is held for longest goes when none is idle, not said to have hung up", async () => {
    const receiver = await open({ connectionsMax: 1 });
    const held = webhook(receiver, [{ kind: "silent" }]);
    const holding = post(held.url);
    await asked(receiver, held.token);
    expect((await post(webhook(receiver, [OK]).url)).status).toBe(200);
    expect((await holding).error).toBe("ECONNRESET");
    const ended = ({ answeredAtMs }: Delivery) => answeredAtMs !== null;
    expect(await eventually(receiver, held.token, ended)).toMatchObject({ hungUpAtMs: null });
  });

  it(covers("that piles up unanswered requests is closed", "44 receiver"), async () => {
    const receiver = await open();
    const socket = await connection(receiver);
    const { pathname } = new URL(webhook(receiver, [{ kind: "silent" }]).url);
    const request = `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;
    socket.write(request.repeat(50));
    await closed(socket);
    expect(await receiver.stats()).toMatchObject({ refused: { pipelined: expect.any(Number) } });
  });

  it("carries one delivery after another, each with its own stamp", async () => {
    const receiver = await open();
    const token = newToken();
    const socket = await connection(receiver);
    const request = `${head(receiver, token, 2)}{}`;
    socket.write(request);
    await once(socket, "data");
    const betweenMs = nowMs();
    // The header comes in two pieces: the stamp is that of the first.
    socket.write(request.slice(0, 20));
    // What is taken in over later connections is, too: the receiver's loop has turned since.
    for (let turns = 0; turns < 2; turns += 1) await post(webhook(receiver, [OK]).url);
    const restMs = nowMs();
    socket.write(request.slice(20));
    const [first, second] = await asked(receiver, token, 1).then(() => receiver.deliveries(token));
    expect(first?.arrivedAtMs).toBeLessThan(betweenMs);
    expect(second?.arrivedAtMs).toBeGreaterThanOrEqual(betweenMs);
    expect(second?.arrivedAtMs).toBeLessThan(restMs);
    socket.destroy();
  });
});

describe("a connection for queries", () => {
  const asking = async (receiver: Receiver) => {
    const socket = await connection(receiver, receiver.access.queryUrl);
    return { socket, gone: closed(socket) };
  };
  const head = (receiver: Receiver, path: string) =>
    [
      `GET ${path} HTTP/1.1\r\nhost: x`,
      `authorization: ${secretHeaders(receiver).authorization}\r\n`,
    ].join("\r\n");

  it(covers("that sends its header too slowly is closed", "4 receiver"), async () => {
    const receiver = await open({ headerTimeoutMs: 200 });
    const { socket, gone } = await asking(receiver);
    socket.write("GET /stats");
    drip(socket, "x");
    await gone;
  });

  it(covers("that sends its body too slowly is closed", "5 receiver"), async () => {
    const receiver = await open({ headerTimeoutMs: 200, requestTimeoutMs: 300 });
    const { socket, gone } = await asking(receiver);
    const post = head(receiver, "/forget").replace("GET", "POST");
    socket.write(`${post}content-length: 1000000\r\n\r\n`);
    drip(socket, " ");
    await gone;
  });

  it(covers("that is idle makes room when all are taken", "3 receiver"), async () => {
    const receiver = await open({ connectionsMax: 2 });
    const idle = await asking(receiver);
    const waiting = await asking(receiver);
    const query = `/deliveries?token=${newToken()}&waitMs=20000`;
    waiting.socket.write(`${head(receiver, query)}\r\n`);
    expect(await asked(receiver, newToken(), 0, 0)).toEqual([]);
    await idle.gone;
    expect(waiting.socket.destroyed).toBe(false);
    waiting.socket.destroy();
  });

  it(covers("that piles up unanswered requests is closed", "44 receiver"), async () => {
    const receiver = await open();
    const { socket, gone } = await asking(receiver);
    const query = `/deliveries?token=${newToken()}&waitMs=20000`;
    socket.write(`${head(receiver, query)}\r\n`.repeat(50));
    await gone;
  });
});

describe("tokens", () => {
  it(covers("are bounded in number, the oldest go first", "47 receiver"), async () => {
    const receiver = await open({ tokensMax: 3 });
    const tokens = Array.from({ length: 5 }, newToken);
    for (const token of tokens) await post(webhook(receiver, [OK], token).url);
    const kept = await Promise.all(tokens.map((token) => receiver.deliveries(token)));
    expect(kept.map(({ length }) => length)).toEqual([0, 0, 1, 1, 1]);
    expect(await receiver.stats()).toMatchObject({ tokens: 3, evictedTokens: 2, deliveries: 3 });
  });

  it("keep their count of attempts when their deliveries are evicted", async () => {
    const receiver = await open({ bodyCapBytes: 1_000, memoryCapBytes: 4_000 });
    const { token, url } = webhook(receiver, [answer(500), answer(404), OK]);
    expect((await post(url)).status).toBe(500);
    for (let n = 0; n < 5; n += 1) await post(webhook(receiver, [OK]).url);
    expect(await receiver.deliveries(token)).toEqual([]);
    expect((await post(url)).status).toBe(404);
  });
});

const MEMORY_CAP_BYTES = 16 * 1024 * 1024;
const TOKENS_MAX = 10_000;
/** Ours: what a flood may cost with the caps, for buffers that are not collected yet. */
const RSS_GROWTH_MAX = 150 * 1024 * 1024;
/** Ours: two busy cores move an answer by some tens of milliseconds; a stall would be seconds. */
const LATE_MS_MAX = 1_500;
const BEAT_MS = 20;

describe("a flood of forged and oversized posts", () => {
  it.each([
    ["of tokens of its own", "bodies", null],
    ["of long heads", "heads", null],
    ["of another session", "bodies", "session-1-"],
  ])(
    covers("%s leaves memory bounded and answers on time", "44 receiver"),
    async (_name, what, tokenPrefix) => {
      const receiver = await open({
        tokenPrefix,
        memoryCapBytes: MEMORY_CAP_BYTES,
        tokensMax: TOKENS_MAX,
      });
      const before = await receiver.stats();
      const flood = spawn(process.execPath, [FLOOD, receiver.access.publicUrl, "3000", what]);
      await once(flood.stdout, "data");
      // For so long this thread stood still as well, with the whole machine.
      let stoodMs = 0;
      onTestFinished(
        beats(createSystemClock(), BEAT_MS, ({ lagMs }) => {
          stoodMs += Math.max(0, lagMs);
        }),
      );
      const lateMs: number[] = [];
      const ownMs: number[] = [];
      const tokens = [];
      while (flood.exitCode === null) {
        const token = `${tokenPrefix ?? ""}${newToken()}`;
        tokens.push(token);
        stoodMs = 0;
        const posted = await post(webhook(receiver, [answer(200, 100)], token).url);
        expect(posted).toMatchObject({ status: 200 });
        lateMs.push(posted.tookMs - 100);
        ownMs.push(posted.tookMs - 100 - stoodMs);
      }
      const after = await receiver.stats();
      expect(lateMs.length).toBeGreaterThan(3);
      expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...ownMs)).toBeLessThan(LATE_MS_MAX);
      expect(after.bytes).toBeLessThanOrEqual(MEMORY_CAP_BYTES);
      expect(after.tokens).toBeLessThanOrEqual(TOKENS_MAX);
      expect(after.rssBytes - before.rssBytes).toBeLessThan(RSS_GROWTH_MAX);
      const kept = await Promise.all(tokens.map((token) => receiver.deliveries(token)));
      // Only the session's own tokens tell the flood's deliveries from the suite's.
      if (tokenPrefix === null) expect(after.tokens).toBeGreaterThan(tokens.length * 10);
      else expect(kept.map(({ length }) => length)).toEqual(tokens.map(() => 1));
    },
  );
});
