/** A webhook URL is no way into the network: it leads to allowed addresses, or nowhere. */

import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRealClock } from "../../reference/clock.ts";
import type { Lookup } from "../../reference/webhooks/addresses.ts";
import { isAllowed, mayName } from "../../reference/webhooks/addresses.ts";
import { createHttpPost } from "../../reference/webhooks/http-post.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { serveOn } from "../http/serve.ts";
import { start } from "./client.ts";

describe("an address", () => {
  it.each([
    ["127.0.0.1", true, true],
    ["127.8.9.1", true, true],
    ["::1", true, true],
    ["::ffff:127.0.0.1", true, true],
    ["10.1.2.3", false, true],
    ["172.31.0.1", false, true],
    ["192.168.0.9", false, true],
    ["fd12::1", false, true],
    ["8.8.8.8", false, false],
    ["2001:db8::1", false, false],
    ["0.0.0.0", false, false],
    ["::", false, false],
    ["169.254.169.254", false, false],
    ["::ffff:169.254.169.254", false, false],
    ["fe80::1", false, false],
    ["fd00:ec2::254", false, false],
    ["100.100.100.200", false, false],
    ["224.0.0.1", false, false],
    ["no-address", false, false],
  ])("%s is allowed from loopback: %s, from elsewhere: %s", (address, alone, elsewhere) => {
    const allowed = [isAllowed(address, "loopback"), isAllowed(address, "private")];
    expect(allowed).toEqual([alone, elsewhere]);
  });

  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://user:pass@169.254.169.254:80/",
  ])("is seen in %s", (url) => {
    expect(mayName(url, "private")).toBe(false);
  });
});

/** A port at that address, and how often somebody came to it. */
async function listener(host: string) {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  return { port: await serveOn(server, host), visits: () => visits };
}

/** One of this machine's that others reach as well; the documentation's own where it has none. */
function outerAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "192.0.2.1";
}

function posting(lookup: Lookup) {
  const clock = createRealClock();
  const http = createHttpPost(clock, "loopback", lookup);
  onTestFinished(async () => {
    await http.close();
    clock.close();
  });
  return (url: string) =>
    http.post({
      url,
      headers: {},
      body: "{}",
      limitMs: 5_000,
      keepsConnection: false,
      method: "POST",
    });
}

/** A resolver that says one thing after the other. */
function answering(...addresses: readonly string[]) {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, _options, callback) => {
    const address = addresses[asked.length] ?? "127.0.0.1";
    asked.push(hostname);
    callback(null, [{ address, family: 4 }]);
  };
  return { asked, lookup };
}

describe("a webhook", () => {
  it(covers("to a name that leads elsewhere connects to nobody", "45 reference"), async () => {
    const outer = outerAddress();
    const { port, visits } = await listener("0.0.0.0");
    const { asked, lookup } = answering(outer, "169.254.169.254");
    const post = posting(lookup);
    expect(await post(`http://hooks.example:${port}/`)).toMatchObject({ status: 0 });
    expect(await post(`http://hooks.example:${port}/`)).toMatchObject({ status: 0 });
    expect(await post(`http://${outer}:${port}/`)).toMatchObject({ status: 0 });
    expect([asked.length, visits()]).toEqual([2, 0]);
  });

  it(
    covers("goes to the address that was judged: a name is resolved once", "45 reference"),
    async () => {
      const { port, visits } = await listener("127.0.0.1");
      const { asked, lookup } = answering("127.0.0.1", "169.254.169.254");
      expect(await posting(lookup)(`http://hooks.example:${port}/`)).toMatchObject({ status: 200 });
      expect([asked.length, visits()]).toEqual([1, 1]);
    },
  );

  it("to what is no URL is a failed attempt", async () => {
    const posted = await posting(answering().lookup)("no URL");
    expect(posted).toEqual({ status: 0, cause: "broken-off" });
  });

  it(covers("to a name that does not resolve is a failed attempt", "9 reference"), async () => {
    const lookup: Lookup = (_hostname, _options, callback) =>
      callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    const posted = await posting(lookup)("http://hooks.example/");
    expect(posted).toEqual({ status: 0, cause: "broken-off" });
  });

  it("of a service on loopback stays on the machine, and the job ends all the same", async () => {
    const { port, visits } = await listener("0.0.0.0");
    const caller = await start();
    const webhook = `http://${outerAddress()}:${port}/`;
    const job = await caller.follow(await caller.submit("echo", { text: "x", webhook }));
    expect(job.status).toBe("SUCCEEDED");
    expect(visits()).toBe(0);
  });
});
