/** The receiver over real HTTP: it keeps what comes, and answers as the URL says. */

import { execFileSync } from "node:child_process";
import { Agent } from "node:http";
import { createServer } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { startReceiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { serveOn } from "../http/serve.ts";
import { answer, asked, eventually, OK, open, webhook } from "./open-receiver.ts";
import { newToken, nowMs, post } from "./post.ts";

/** Ours: longer than a busy machine takes from one step of a test to the next. */
const LATE_MS = 3_000;

/** Posts to its argument from a process of its own, and prints the answer's status. */
const POST = `fetch(process.argv[1], { method: "POST", body: "{}" }).then(({ status }) =>
  process.stdout.write(String(status)))`;

describe("a delivery", () => {
  it("is kept with its times, its body and what it was answered", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(503)]);
    const headers = { "content-type": "application/json" };
    const posted = await post(url, { body: '{"status":"é"}', headers });
    const [delivery] = await asked(receiver, token);
    expect(posted.status).toBe(503);
    expect(delivery).toMatchObject({
      token,
      attempt: 1,
      method: "POST",
      contentType: "application/json",
      body: '{"status":"é"}',
      bodyBytes: 15,
      truncated: false,
      signature: "absent",
      answer: answer(503),
      hungUpAtMs: null,
    });
    const arrivedAtMs = delivery?.arrivedAtMs ?? 0;
    expect(arrivedAtMs).toBeGreaterThanOrEqual(posted.sentAtMs);
    expect(delivery?.answeredAtMs).toBeGreaterThanOrEqual(arrivedAtMs);
    expect(delivery?.answeredAtMs).toBeLessThanOrEqual(posted.sentAtMs + posted.tookMs);
  });

  it(covers("is answered step by step, and the last step for ever", "43 receiver"), async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(500), answer(404), OK]);
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await post(url)).status);
    expect(statuses).toEqual([500, 404, 200, 200, 200]);
    const attempts = (await asked(receiver, token)).map(({ attempt }) => attempt);
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ["as a path", "/d/TOKEN/302,307"],
    ["as a query", "/d?to=TOKEN/302,307"],
  ])("is lost to who follows a redirection with a GET (address %s)", async (_name, address) => {
    const { access } = await open();
    const url = access.publicUrl + address.replace("TOKEN", newToken());
    const statuses = [];
    for (let n = 0; n < 2; n += 1) {
      const { status, url: at } = await fetch(url, { method: "POST", body: "{}" });
      statuses.push([status, at]);
    }
    // After a 307, the page is asked with a POST again, which it does not take.
    const page = `${access.publicUrl}/`;
    expect(statuses).toEqual([
      [200, page],
      [404, page],
    ]);
  });

  it("tells how many requests its connection has carried before it", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [OK]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await post(url, { agent });
    await post(url, { agent });
    await post(url);
    agent.destroy();
    const deliveries = await asked(receiver, token);
    expect(deliveries.map(({ requestsBefore }) => requestsBefore)).toEqual([0, 1, 0]);
    const opened = deliveries.map(({ openedForMs }) => openedForMs);
    expect(opened).toEqual([expect.any(Number), undefined, expect.any(Number)]);
  });

  it("is answered late, counted from its arrival and never early", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(200, LATE_MS)]);
    const asking = asked(receiver, token);
    const posting = post(url);
    const [pending] = await asking;
    expect(pending?.answeredAtMs).toBeNull();
    expect((await posting).tookMs).toBeGreaterThanOrEqual(LATE_MS);
    const [answered] = await receiver.deliveries(token);
    const waitedMs = (answered?.answeredAtMs ?? 0) - (answered?.arrivedAtMs ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(LATE_MS);
    expect(waitedMs).toBeLessThan(10 * LATE_MS);
  });

  it("is reset", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [{ kind: "reset" }, OK]);
    expect(await post(url)).toMatchObject({ status: 0, error: "ECONNRESET" });
    expect((await post(url)).status).toBe(200);
    const [reset] = await asked(receiver, token);
    expect(reset).toMatchObject({ answer: { kind: "reset" }, hungUpAtMs: null });
    expect(reset?.answeredAtMs).toBeGreaterThanOrEqual(reset?.arrivedAtMs ?? 0);
  });

  it("is never answered, and tells when the sender hung up", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [{ kind: "silent" }]);
    const seen = asked(receiver, token).then(() => nowMs());
    const posted = await post(url, { until: seen });
    expect(posted.status).toBe(0);
    const delivery = await eventually(receiver, token, ({ hungUpAtMs }) => hungUpAtMs !== null);
    expect(delivery.answeredAtMs).toBeNull();
    expect(delivery.hungUpAtMs).toBeGreaterThanOrEqual(await seen);
  });

  it("tells when the sender hung up before a late answer", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(200, 60_000)]);
    await post(url, { until: asked(receiver, token) });
    const delivery = await eventually(receiver, token, ({ hungUpAtMs }) => hungUpAtMs !== null);
    expect(delivery.answeredAtMs).toBeNull();
  });

  it("is answered at once with a body that comes late", async () => {
    const receiver = await open();
    const slow = { kind: "status", status: 500, delayMs: 0, bodyMs: LATE_MS } as const;
    const { token, url } = webhook(receiver, [slow]);
    const posted = await post(url);
    expect(posted.status).toBe(500);
    expect(posted.tookMs).toBeGreaterThanOrEqual(LATE_MS);
    const [delivery] = await asked(receiver, token);
    expect((delivery?.answeredAtMs ?? 0) - (delivery?.arrivedAtMs ?? 0)).toBeLessThan(LATE_MS);
    expect(delivery?.hungUpAtMs).toBeNull();
  });

  it("is kept when it comes by the wrong method", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(503), OK]);
    const statuses = [];
    for (const method of ["PUT", "PATCH"]) statuses.push((await post(url, { method })).status);
    expect(statuses).toEqual([503, 200]);
    const methods = (await asked(receiver, token)).map(({ method }) => method);
    expect(methods).toEqual(["PUT", "PATCH"]);
  });

  it("is kept with its head, but for what may be secret", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [OK]);
    const secret = { "x-service-signature": "abc", authorization: "Bearer x", cookie: "a=b" };
    const headers = { "user-agent": "sender/1", "x-event": "job.completed", ...secret };
    await post(url, { headers: { ...headers, "x-more-api-key": "k", "x-long": "l".repeat(999) } });
    const [delivery] = await asked(receiver, token);
    expect(delivery?.headers).toMatchObject({
      "user-agent": "sender/1",
      "x-event": "job.completed",
      "x-long": "l".repeat(200),
    });
    for (const name of [...Object.keys(secret), "x-more-api-key"]) {
      expect(delivery?.headers).not.toHaveProperty(name);
    }
  });

  it.each([
    ["another header may be its signature", { "x-acme-signature": "a" }, "x-acme-signature"],
    ["another header may be its MAC", { "x-acme-hmac-sha256": "a" }, "x-acme-hmac-sha256"],
    ["none may be its signature", { "x-acme-event": "a" }, undefined],
    ["it has the neutral name", { "x-acme-signature": "a", "x-service-signature": "b" }, undefined],
  ])("is told where %s", async (_, headers, expected) => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [OK]);
    await post(url, { headers });
    const [delivery] = await asked(receiver, token);
    expect(delivery?.unnamedSignature).toBe(expected);
  });

  it("has no other signature than that of the header that was named", async () => {
    const receiver = await open({ signature: { header: "X-Acme-Signature" } });
    const { token, url } = webhook(receiver, [OK]);
    await post(url, { headers: { "x-other-signature": "a" } });
    const [delivery] = await asked(receiver, token);
    expect([delivery?.signature, delivery?.unnamedSignature]).toEqual(["absent", undefined]);
  });

  it("is understood with @ and , as percent codes, and with a query", async () => {
    const receiver = await open();
    const token = newToken();
    const base = `${receiver.access.publicUrl}/d/${token}`;
    expect((await post(`${base}/500%400%2C201?x=1`)).status).toBe(500);
    expect((await post(`${base}/500%400%2C201?x=1`)).status).toBe(201);
  });

  it("is stamped and answered while the main thread stands still", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(204, 50)]);
    const sinceMs = nowMs();
    // This thread does nothing until the other process has its answer.
    const status = execFileSync(process.execPath, ["-e", POST, url], { timeout: 60_000 });
    const untilMs = nowMs();
    expect(String(status)).toBe("204");
    const [delivery] = await asked(receiver, token);
    const stamps = [sinceMs, delivery?.arrivedAtMs, delivery?.answeredAtMs, untilMs];
    expect(stamps).toEqual(stamps.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
  });
});

describe("a request that is no delivery", () => {
  const shared = startReceiver();
  afterAll(async () => (await shared).close());

  it.each([
    ["another path", "POST", "/hook", 404],
    ["a short token", "POST", "/d/short/200", 404],
    [
      covers("a token of other characters", "21 receiver"),
      "POST",
      "/d/abcdefghijklmnop.qr/200",
      404,
    ],
    ["no script", "POST", "/d/abcdefghijklmnopqr", 404],
    ["an unknown step", "POST", "/d/abcdefghijklmnopqr/200,soon", 404],
    ["a step that ends no request", "POST", "/d/abcdefghijklmnopqr/100", 404],
    ["a look at its path", "GET", "/d/abcdefghijklmnopqr/200", 405],
    ["a look", "GET", "/", 200],
  ])("with %s is turned away and not kept", async (_name, method, path, status) => {
    const receiver = await shared;
    expect((await post(receiver.access.publicUrl + path, { method })).status).toBe(status);
    expect(await receiver.stats()).toMatchObject({ deliveries: 0, tokens: 0 });
  });

  it("finds no query interface on the public address", async () => {
    const receiver = await open();
    const url = `${receiver.access.publicUrl}/stats`;
    expect((await post(url, { method: "GET" })).status).toBe(404);
  });

  it("is one whose token is not of the session", async () => {
    const receiver = await open({ tokenPrefix: "session-1-" });
    const own = webhook(receiver, [OK], `session-1-${newToken()}`);
    expect((await post(own.url)).status).toBe(200);
    expect((await post(webhook(receiver, [OK]).url)).status).toBe(404);
    const stats = await receiver.stats();
    expect(stats).toMatchObject({ deliveries: 1, refused: { foreignToken: 1 } });
  });
});

describe("a receiver", () => {
  it("refuses connections on its second port until that is opened", async () => {
    const receiver = await open({ refusing: true });
    const token = newToken();
    const url = `${receiver.access.refusingUrl}/d/${token}/200`;
    expect((await post(url)).error).toBe("ECONNREFUSED");
    await receiver.openRefusing();
    await receiver.openRefusing();
    expect((await post(url)).status).toBe(200);
    expect(await asked(receiver, token)).toHaveLength(1);
  });

  it("understands paths with and without that of its public URL", async () => {
    const receiver = await open({ publicUrl: "https://hooks.example.com/in/" });
    expect(receiver.access.publicUrl).toBe("https://hooks.example.com/in");
    const { port } = new URL(receiver.access.queryUrl);
    expect(Number(port)).toBeGreaterThan(0);
  });

  it(covers("says which port is taken, and by what it can be helped", "36 receiver"), async () => {
    const port = await serveOn(createServer());
    const taken = { host: "127.0.0.1", port };
    const message = new RegExp(`127.0.0.1:${port} for queries .EADDRINUSE.; expected a free port`);
    await expect(open({ query: taken })).rejects.toMatchObject({ code: "listen-failed" });
    await expect(open({ query: taken })).rejects.toThrow(message);
  });

  it("closes at once, whatever is still unanswered", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [{ kind: "silent" }]);
    const late = webhook(receiver, [answer(200, 600_000)]);
    const posting = [post(url), post(late.url)];
    await asked(receiver, token);
    await asked(receiver, late.token);
    const polling = receiver.arrivals({ after: 1_000, waitMs: 30_000 }).catch(() => null);
    const sinceMs = nowMs();
    await receiver.close();
    expect(nowMs() - sinceMs).toBeLessThan(1_900);
    expect((await Promise.all(posting)).map(({ status }) => status)).toEqual([0, 0]);
    await polling;
    await expect(receiver.stats()).rejects.toMatchObject({ code: "closed" });
  });
});
