/** The probe's own server: who may read, readiness, and the stream of events. */

import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Secret } from "../../../contract/text/secret.ts";
import { isOwnHost } from "../../../probe/server/access.ts";
import type { ProbeServer, ServerParts } from "../../../probe/server/server.ts";
import { startServer } from "../../../probe/server/server.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { closed } from "../../http/closed.ts";
import { statusView } from "./status-view.ts";

const opened: ProbeServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function serve(changes: Partial<ServerParts> = {}): Promise<ProbeServer> {
  const server = await startServer({
    listen: { host: "127.0.0.1", port: 0 },
    bearerToken: null,
    allowedHosts: [],
    scrape: async () => ({ contentType: "text/plain", text: "metrics\n" }),
    view: () => statusView(),
    unready: () => [],
    ...changes,
  });
  opened.push(server);
  return server;
}

describe("who may read", () => {
  const TOKEN = "open sesame: ü";
  const bearer = (token: string) => `Bearer ${token}`;
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

  it.each([
    ["nothing", undefined, 401],
    ["another token", bearer("open-sesamf"), 401],
    ["the token", bearer("open-sesame"), 200],
    ["the token, the scheme in capitals", "BEARER open-sesame", 200],
    ["the token as password, as browsers send it", basic("anyone:open-sesame"), 200],
    ["another password", basic("anyone:open"), 401],
    ["the token as user", basic("open-sesame:"), 401],
    ["another scheme", "Digest open-sesame", 401],
  ])("%s is answered %s", async (_, authorization, status) => {
    const { address } = await serve({ bearerToken: new Secret("open-sesame") });
    const headers = authorization === undefined ? {} : { authorization };
    for (const path of ["/", "/metrics", "/api/canaries", "/no-such-page"]) {
      const answer = await fetch(address + path, { headers });
      expect(answer.status === 404 ? 200 : answer.status).toBe(status);
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
  });

  it("a token with spaces and umlauts works as a password", async () => {
    const { address } = await serve({ bearerToken: new Secret(TOKEN) });
    const headers = { authorization: basic(`me:${TOKEN}`) };
    expect((await fetch(`${address}/metrics`, { headers })).status).toBe(200);
  });

  it("the refusal asks for either form", async () => {
    const { address } = await serve({ bearerToken: new Secret(TOKEN) });
    const challenge = (await fetch(address)).headers.get("www-authenticate");
    expect(challenge).toMatch(/Bearer.*Basic realm=/);
  });
});

/** A browser sends the host that stands in its address bar; `fetch` won't let it be set. */
async function asks(address: string, path: string, host: string, headers = {}) {
  const asking = request(address + path, { headers: { ...headers, host } }).end();
  const [answer] = await once(asking, "response");
  const { statusCode } = answer;
  // The stream of events never ends by itself.
  if (path === "/events" && statusCode === 200) {
    asking.destroy();
    return { status: statusCode, text: "" };
  }
  const chunks: Buffer[] = await answer.toArray();
  return { status: statusCode, text: Buffer.concat(chunks).toString() };
}

describe("the host that is asked for", () => {
  it.each([
    ["127.0.0.1:9464", 200],
    ["10.1.2.3", 200],
    ["[::1]:9464", 200],
    ["localhost:9464", 200],
    ["LocalHost", 200],
    ["probe.example.com:9464", 200],
    ["Probe.Example.COM.", 200],
    ["evil.example", 421],
    ["evil.example:9464", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.evil.example", 421],
    ["xprobe.example.com", 421],
    ["evil.example@127.0.0.1", 421],
  ])('"%s" is answered %i', async (host, status) => {
    const { address } = await serve({ allowedHosts: ["other", "probe.example.com"] });
    for (const path of ["/", "/api/canaries", "/events"]) {
      expect([path, (await asks(address, path, host)).status]).toEqual([path, status]);
    }
  });

  it("is named in the refusal, with the option, and nothing else is", async () => {
    const { address } = await serve();
    const { text } = await asks(address, "/api/canaries", "evil.example");
    expect(text).toBe(
      '"evil.example" is no host of this probe; ' +
        "expected localhost, an IP address, or a name given by --allow-host NAME\n",
    );
  });

  it("is no one's where none is named", () => {
    expect(isOwnHost(undefined, [""])).toBe(false);
    expect(isOwnHost("", [""])).toBe(false);
  });

  it.each(["/metrics", "/healthz", "/readyz"])("may be any where %s is asked", async (path) => {
    const { address } = await serve();
    expect((await asks(address, path, "probe:9464")).status).toBe(200);
  });

  it("may be any for who knows the token, which no strange page does", async () => {
    const { address } = await serve({ bearerToken: new Secret("open-sesame") });
    const headers = { authorization: "Bearer open-sesame" };
    expect((await asks(address, "/", "proxy.example", headers)).status).toBe(200);
    expect((await asks(address, "/", "proxy.example")).status).toBe(401);
  });
});

describe("requests", () => {
  it("readiness names each reason against it", async () => {
    const { address } = await serve({ unready: () => ["no journal", "no receiver"] });
    const answer = await fetch(`${address}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([503, "no journal\nno receiver\n"]);
  });

  it("HEAD is answered without a body, anything else is refused", async () => {
    const { address } = await serve();
    const head = await fetch(`${address}/metrics`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "8"]);
    expect((await fetch(address, { method: "POST" })).status).toBe(405);
  });

  it("the interface is served with its anchors, and a promise's address leads to one", async () => {
    const { address } = await serve();
    const promise = await fetch(`${address}/promises/job.never-lost`, { redirect: "manual" });
    expect([promise.status, promise.headers.get("location")]).toEqual([302, "../interface#s3.1"]);
    const page = await (await fetch(`${address}/promises/job.never-lost`)).text();
    expect(page).toContain('<a id="s3.1"></a>');
    expect((await fetch(`${address}/promises/job.no-such`)).status).toBe(404);
  });

  it.each(["/interface", "/promises", "/runbooks/PlumblineTimeoutCharged"])(
    "each link of %s leads to a place that is there",
    async (path) => {
      const { address } = await serve();
      const page = await (await fetch(address + path)).text();
      const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
      const own = new Set(links.filter((href) => !/^(https?|data):/.test(href)));
      expect(own.size).toBeGreaterThan(3);
      const places = new Set([...own].map((href) => href.split("#")[0] ?? ""));
      const texts = new Map<string, string>();
      for (const place of places) {
        const answer = place === "" ? null : await fetch(address + place);
        expect([place, answer?.status ?? 200]).toEqual([place, 200]);
        texts.set(place, answer === null ? page : await answer.text());
      }
      const dead = [...own].filter((href) => {
        const [place = "", anchor] = href.split("#");
        return anchor !== undefined && !texts.get(place)?.includes(`id="${anchor}"`);
      });
      expect(dead).toEqual([]);
    },
  );

  it("the page may load nothing from elsewhere", async () => {
    const { address } = await serve();
    const policy = (await fetch(address)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});

/** Reads events until there are so many. */
async function readEvents(address: string, count: number): Promise<string> {
  const stop = new AbortController();
  const answer = await fetch(`${address}/events`, { signal: stop.signal });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.split("\n\n").length > count) break;
  }
  stop.abort();
  return text;
}

describe("the stream of events", () => {
  it("beats without news, each beat whole", async () => {
    const { address } = await serve({ beatMs: 20 });
    const events = (await readEvents(address, 4)).split("\n\n").slice(0, 4);
    for (const event of events) {
      const state = JSON.parse(event.slice(event.indexOf("data: ") + 6)) as { title: string };
      expect(state.title).toBe("ok - plumbline probe");
    }
  });

  it("tells soon that something changed", async () => {
    const server = await serve({ beatMs: 60_000 });
    const told = readEvents(server.address, 2);
    const again = setInterval(() => server.changed(), 50);
    expect(await told).toMatch(/data: .*\n\ndata: /s);
    clearInterval(again);
  });

  it(
    covers("holds one event for a reader that takes nothing, and then hangs up", "7 probe"),
    async () => {
      const first = Promise.withResolvers<void>();
      let view = statusView({ unknown: [`x${"-".repeat(8_000_000)}`] });
      const server = await serve({
        beatMs: 30,
        view: () => {
          first.resolve();
          return view;
        },
      });
      const { port, hostname } = new URL(server.address);
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.write("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await first.promise;
      view = statusView();
      // Another page goes on, and tells when enough beats have passed.
      await readEvents(server.address, 8);
      let bytes = 0;
      socket.on("data", (chunk) => {
        bytes += chunk.byteLength;
      });
      await closed(socket);
      expect(bytes).toBeLessThan(8_100_000);
    },
  );

  it("turns the fifty-first page away", async () => {
    const { address } = await serve();
    const stop = new AbortController();
    const open = () => fetch(`${address}/events`, { signal: stop.signal });
    const pages = await Promise.all(Array.from({ length: 51 }, open));
    stop.abort();
    expect(pages.filter(({ status }) => status === 503)).toHaveLength(1);
  });
});
