/** What a load in Node puts on the wire, and what it is told: as a load in k6. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { LookupFunction } from "node:net";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OnWire } from "../../http/wire.ts";
import { WireClient } from "../../http/wire.ts";
import { listen } from "./listen.ts";
import { serve, serveBytes } from "./serve.ts";

function opened(lookup?: LookupFunction): WireClient {
  const client = new WireClient(lookup);
  onTestFinished(() => client.close());
  return client;
}

const asking = (url: string, more: Partial<OnWire> = {}): OnWire => ({
  method: "POST",
  url,
  headers: { "X-Api-Key": "value" },
  body: "{}",
  timeoutMs: 60_000,
  ...more,
});

async function served(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: IncomingMessage[] = [];
  const origin = await serve((request, response) => {
    requests.push(request);
    request.resume();
    answer(request, response);
  });
  return { origin, requests };
}

describe("a request of a load in Node", () => {
  it("goes to the path as it stands, with its headers and the suite's name", async () => {
    const { origin, requests } = await served((_, response) => response.end("{}"));
    await opened().send(asking(`${origin}/v1/jobs/..%2Fa?limit=1`));
    const [{ method, url, headers } = {} as IncomingMessage] = requests;
    expect({ method, url }).toEqual({ method: "POST", url: "/v1/jobs/..%2Fa?limit=1" });
    expect(headers).toMatchObject({ "x-api-key": "value", "user-agent": "plumbline" });
    expect(headers).toMatchObject({ "content-length": "2" });
  });

  it("brings back status, headers in lower case and the unpacked text", async () => {
    const { origin } = await served((_, response) => {
      const packed = { "Content-Encoding": "gzip", "Retry-After": "7" };
      response.writeHead(429, packed).end(gzipSync("späße"));
    });
    const came = await opened().send(asking(origin, { method: "GET", body: null }));
    expect(came).toMatchObject({ status: 429, error: null, body: "späße" });
    expect(came.headers["retry-after"]).toBe("7");
  });

  it("follows no redirect, and carries no cookie of an answer before it", async () => {
    const { origin, requests } = await served((_, response) => {
      response.writeHead(307, { location: "/elsewhere", "set-cookie": "AWSALB=1" }).end();
    });
    const client = opened();
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await client.send(asking(`${origin}/here`))).status).toBe(307);
    }
    expect(requests.map(({ url }) => url)).toEqual(["/here", "/here"]);
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  it("tells how long the answer and its body took", async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const { origin } = await served(({ url }, response) => {
      if (url !== "/slow") return void begun.promise.then(() => response.end("{}"));
      response.write("[");
      begun.resolve(response);
    });
    const client = opened();
    const slow = client.send(asking(`${origin}/slow`));
    // What was answered later is here: so is the head of the other one.
    await client.send(asking(`${origin}/quick`));
    const readMs = performance.now();
    await setTimeout(60);
    const heldMs = performance.now() - readMs;
    (await begun.promise).end("]");
    const came = await slow;
    expect(came.body).toBe("[]");
    expect(came.bodyMs).toBeGreaterThanOrEqual(heldMs);
    expect(came.transportMs).toBeGreaterThanOrEqual(came.bodyMs);
  });

  it("is told to have used its connection for the first time, or again", async () => {
    const { origin } = await served((_, response) => response.end("{}"));
    const client = opened();
    const reused: boolean[] = [];
    // Right after an answer its connection is not free yet: the second request opens another.
    for (let sent = 0; sent < 3; sent += 1) {
      reused.push((await client.send(asking(origin))).isReused);
    }
    expect([reused.at(0), reused.at(-1)]).toEqual([false, true]);
  });

  it("hangs up once it is answered, where it says so", async () => {
    const closed: Promise<unknown>[] = [];
    const { origin, requests } = await served(({ socket }, response) => {
      closed.push(once(socket, "close"));
      response.end("{}");
    });
    const { status } = await opened().send(asking(origin, { headers: { Connection: "close" } }));
    await Promise.all(closed);
    expect([status, requests[0]?.headers.connection]).toEqual([200, "close"]);
  });

  it.each([
    ["once where it may change something", "POST", { status: 0, error: "reset" }, false],
    ["again where it only reads", "GET", { status: 200, error: null }, true],
  ])("is sent %s, if a kept connection closes under it", async (_, method, told, isAgain) => {
    const seen = new Set<unknown>();
    const { origin, requests } = await served((request, response) => {
      const isNew = !seen.has(request.socket);
      seen.add(request.socket);
      if (isNew) response.end("{}");
      else request.on("end", () => request.socket.destroy());
    });
    const client = opened();
    const came = [];
    const body = method === "GET" ? null : "{}";
    for (let at = 0; at < 3; at += 1) {
      came.push(await client.send(asking(origin, { method, body })));
    }
    expect(came.at(-1)).toMatchObject(told);
    expect(requests.length > 3).toBe(isAgain);
  });

  it("that only reads is not sent again once its answer has begun", async () => {
    const seen = new Set<unknown>();
    const { origin, requests } = await served(({ socket }, response) => {
      const isNew = !seen.has(socket);
      seen.add(socket);
      if (isNew) response.end("{}");
      else response.writeHead(200, { "content-length": 9 }).write("{", () => socket.destroy());
    });
    const client = opened();
    const came = [];
    for (let at = 0; at < 3; at += 1) {
      came.push(await client.send(asking(origin, { method: "GET", body: null })));
    }
    expect(came.at(-1)).toMatchObject({ status: 0, isReused: true, hasBegun: true });
    expect(requests).toHaveLength(3);
  });
});

describe("a request of a load in Node that gets no answer", () => {
  it("is given up at its limit", async () => {
    const origin = await serveBytes(() => {});
    const came = await opened().send(asking(origin, { timeoutMs: 50 }));
    expect(came).toMatchObject({ status: 0, error: "timeout", body: "" });
    expect(came.transportMs).toBeGreaterThanOrEqual(50);
  });

  it("is refused where nobody listens", async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    await once(server, "close");
    const came = await opened().send(asking(`http://127.0.0.1:${port}`));
    expect(came).toMatchObject({ status: 0, error: "refused" });
  });

  it("is no answer where the body ends too soon", async () => {
    const origin = await serveBytes((_, socket) => {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}");
    });
    const came = await opened().send(asking(origin));
    expect(came.error).not.toBeNull();
    expect(came).toMatchObject({ status: 0, body: "" });
  });

  it("is told as late, not as refused, where no connection was there in time", async () => {
    const came = await opened(() => {}).send(asking("http://name.invalid/", { timeoutMs: 50 }));
    expect(came).toMatchObject({ status: 0, error: "timeout", isReused: false });
  });

  it("goes out on another connection where the first was lost before it was sent", async () => {
    const { origin, requests } = await served((_, response) => response.end("{}"));
    const lost = Object.assign(new Error("lost"), { code: "ECONNRESET" });
    let asked = 0;
    const client = opened((_, options, callback) => {
      asked += 1;
      if (asked === 1) callback(lost, "");
      else if (options.all) callback(null, [{ address: "127.0.0.1", family: 4 }]);
      else callback(null, "127.0.0.1", 4);
    });
    const came = await client.send(asking(origin.replace("127.0.0.1", "name.invalid")));
    expect(came).toMatchObject({ status: 200, error: null });
    expect([asked, requests.length]).toEqual([2, 1]);
  });

  it("is no answer where an address can't be found", async () => {
    const came = await opened().send(asking("http://no-such-host.invalid/"));
    expect(came).toMatchObject({ status: 0, error: "dns" });
  });
});
