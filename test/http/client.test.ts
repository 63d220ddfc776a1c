/** One attempt of the suite's own: what goes out as it stands, what comes back within bounds. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Secret } from "../../contract/text/secret.ts";
import type { ClientOptions } from "../../http/client.ts";
import { createClient } from "../../http/client.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { serve } from "./serve.ts";

const KEY = { name: "main", value: new Secret("secret-value") };

async function clientOf(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: ClientOptions = {},
) {
  const requests: IncomingMessage[] = [];
  const origin = await serve((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  const client = createClient(`${origin}/base/`, options);
  onTestFinished(() => client.close());
  return { client, requests };
}

describe("a request", () => {
  it.each([
    ["..", "/base/v1/jobs/.."],
    ["a/b?c", "/base/v1/jobs/a%2Fb%3Fc"],
    ["\ud800", "/base/v1/jobs/%EF%BF%BD"],
  ])("for %j goes to %s", async (parameter, path) => {
    const { client, requests } = await clientOf((_, response) => response.end("{}"));
    await client.send({ route: "job", parameter, key: null });
    expect(requests.map(({ url }) => url)).toEqual([path]);
  });

  it("spells the key's header as it is told, and never lists the key", async () => {
    const { client, requests } = await clientOf((_, response) => response.end("{}"));
    const exchange = await client.send({ route: "me", key: KEY, keyHeader: "X-Api-Key" });
    expect(requests[0]?.rawHeaders).toContain("X-Api-Key");
    expect(requests[0]?.headers["x-api-key"]).toBe(KEY.value.reveal());
    expect(exchange.key).toBe("main");
    expect(JSON.stringify(exchange)).not.toContain(KEY.value.reveal());
  });

  it("names its sender, as k6 does", async () => {
    const { client, requests } = await clientOf((_, response) => response.end("{}"));
    await client.send({ route: "me", key: KEY });
    expect(requests[0]?.headers["user-agent"]).toBe("plumbline");
  });

  it("follows no redirect", async () => {
    const { client, requests } = await clientOf((_, response) => {
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect((await client.send({ route: "me", key: KEY })).status).toBe(307);
    expect(requests).toHaveLength(1);
  });

  it("ends with the caller's signal, and rejects with its reason", async () => {
    const stop = new AbortController();
    const { client } = await clientOf(() => stop.abort(new Error("enough")));
    const sent = client.send({ route: "me", key: KEY, signal: stop.signal });
    await expect(sent).rejects.toThrow("enough");
    const again = client.send({ route: "me", key: KEY, signal: stop.signal });
    await expect(again).rejects.toThrow("enough");
  });

  it("is given up at its own limit", async () => {
    let asked = 0;
    // On the one connection there is: another that takes as long to open counts as refused, and
    // so does one that is not free again by then, which takes turns of a loop that may stand still.
    const { client } = await clientOf(
      (_, response) => {
        asked += 1;
        if (asked === 1) response.end("{}");
      },
      { connectionsMax: 1 },
    );
    await client.send({ route: "me", key: KEY });
    const exchange = await client.send({ route: "me", key: KEY, timeoutMs: 2_000 });
    expect(exchange).toMatchObject({ status: 0, error: "timeout" });
  });
});

it(covers("is sent once, though a kept connection closes under it", "8 probe"), async () => {
  const asked = new Map<unknown, number>();
  const { client, requests } = await clientOf(
    (request, response) => {
      asked.set(request.socket, (asked.get(request.socket) ?? 0) + 1);
      // Read whole, so that it may have been obeyed.
      request.resume().on("end", () => {
        if (asked.get(request.socket) === 1) response.end("{}");
        else request.socket.destroy();
      });
    },
    { connectionsMax: 1 },
  );
  const submission = { route: "submit", parameter: "echo", method: "POST", body: "{}" } as const;
  expect((await client.send({ ...submission, key: KEY })).status).toBe(200);
  expect(await client.send({ ...submission, key: KEY })).toMatchObject({ error: "reset" });
  expect([requests.length, asked.size]).toEqual([2, 1]);
});

describe("a connection of an age", () => {
  /** The number of the connection that each of the requests came over. */
  async function connectionsOf(connectionAgeMsMax: number | null) {
    const { client, requests } = await clientOf((_, response) => response.end("{}"), {
      connectionsMax: 1,
      connectionAgeMsMax,
    });
    const [startMs, minuteMs] = [Date.now(), 60_000];
    const date = vi.spyOn(Date, "now");
    onTestFinished(() => date.mockRestore());
    for (const atMs of [0, 0.4, 1.1, 1.2].map((minutes) => minutes * minuteMs)) {
      date.mockReturnValue(startMs + atMs);
      expect((await client.send({ route: "me", key: KEY })).status).toBe(200);
    }
    const sockets = [...new Set(requests.map(({ socket }) => socket))];
    return requests.map(({ socket }) => sockets.indexOf(socket));
  }

  it("is used no more, as it shows one instance behind a balancer", async () => {
    expect(await connectionsOf(60_000)).toEqual([0, 0, 1, 1]);
  });

  it("is used on where nothing limits it", async () => {
    expect(await connectionsOf(null)).toEqual([0, 0, 0, 0]);
  });
});

const MEGABYTE = 1024 * 1024;
const PACKED = { "content-encoding": "gzip" };

describe("an answer", () => {
  const asked = async (status: number, body: Buffer, headers = {}) => {
    const { client } = await clientOf((_, response) => {
      response.writeHead(status, headers).end(body);
    });
    return await client.send({ route: "workers", key: KEY });
  };

  it("of eight megabytes is read, as by k6", async () => {
    const { status, body } = await asked(200, Buffer.alloc(8 * MEGABYTE, "x"));
    expect([status, body.length]).toEqual([200, 8 * MEGABYTE]);
  });

  it("of headers of 200 KiB is read, as by k6", async () => {
    const headers = { "x-told": ["a".repeat(100 * 1024), "b".repeat(100 * 1024)] };
    expect(await asked(200, Buffer.from("{}"), headers)).toMatchObject({ status: 200, body: "{}" });
  });

  it.each([
    ["of more", Buffer.alloc(8 * MEGABYTE + 1, "x"), {}],
    ["that unpacks to more", gzipSync(Buffer.alloc(8 * MEGABYTE + 1)), PACKED],
  ])("%s is not read, which says nothing of the service", async (_, body, headers) => {
    expect(await asked(200, body, headers)).toMatchObject({ status: 0, error: "unread", body: "" });
    expect(await asked(503, body, headers)).toMatchObject({ status: 503, error: null, body: "" });
  });

  it("that can't be unpacked is none", async () => {
    const exchange = await asked(200, Buffer.from("no gzip"), PACKED);
    expect(exchange).toMatchObject({ status: 0, error: "other", body: "" });
  });

  it("that was packed is unpacked", async () => {
    const { client } = await clientOf((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"plan":"free"}'));
    });
    expect((await client.send({ route: "me", key: KEY })).body).toBe('{"plan":"free"}');
  });
});
