/** The query interface over HTTP, each answer held against the schema. */

import { afterAll, describe, expect, it } from "vitest";
import type { ArrivalsAnswer } from "../../contract/jobs/delivery.ts";
import type { GivenReceiverOptions } from "../../receiver/options.ts";
import { receiverStats } from "../../receiver/query-schema.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { startReceiver } from "../../receiver/receiver.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { arrivalsAnswer, deliveriesAnswer } from "./answers.ts";
import { answer, asked, OK, open, secretHeaders, webhook } from "./open-receiver.ts";
import { newToken, nowMs, post } from "./post.ts";

async function get(receiver: Receiver, path: string): Promise<{ status: number; body: unknown }> {
  const headers = secretHeaders(receiver);
  const response = await fetch(receiver.access.queryUrl + path, { headers });
  return { status: response.status, body: await response.json() };
}

async function send(receiver: Receiver, path: string, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = secretHeaders(receiver);
  const url = receiver.access.queryUrl + path;
  const response = await fetch(url, { method: "POST", headers, body: text });
  return { status: response.status, body: await response.json() };
}

async function arrivals(receiver: Receiver, query: string): Promise<ArrivalsAnswer> {
  return arrivalsAnswer.parse((await get(receiver, `/arrivals?${query}`)).body);
}

/** A receiver that got one delivery for each token. */
async function holding(tokens: readonly string[], options: GivenReceiverOptions = {}) {
  const receiver = await open(options);
  for (const token of tokens) await post(webhook(receiver, [OK], token).url, { body: token });
  return receiver;
}

describe("GET /deliveries", () => {
  it("answers at once when there are more than the reader knows", async () => {
    const token = newToken();
    const receiver = await holding([token]);
    expect(await asked(receiver, token, 0)).toHaveLength(1);
    expect(await asked(receiver, token, 1, 0)).toEqual([]);
  });

  it("waits for the next one", async () => {
    const token = newToken();
    const receiver = await holding([token]);
    const asking = asked(receiver, token, 1, 20_000);
    // Another token's delivery wakes nobody who did not ask for it.
    await post(webhook(receiver, [OK]).url);
    await post(webhook(receiver, [OK], token).url, { body: "second" });
    expect(await asking).toMatchObject([{ attempt: 2, body: "second" }]);
  });

  it(covers("answers with nothing when the time is over", "43 receiver"), async () => {
    const receiver = await open();
    const sinceMs = nowMs();
    expect(await asked(receiver, newToken(), 0, 100)).toEqual([]);
    expect(nowMs() - sinceMs).toBeGreaterThanOrEqual(99);
  });

  it("takes several tokens, and cuts bodies where asked to", async () => {
    const tokens = [newToken(), newToken()];
    const receiver = await holding(tokens);
    const query = tokens.map((token) => `token=${token}`).join("&");
    const { body } = await get(receiver, `/deliveries?${query}&bodyChars=3`);
    const { deliveries } = deliveriesAnswer.parse(body);
    expect(deliveries.map((each) => each.body)).toEqual(tokens.map((token) => token.slice(0, 3)));
    expect(deliveries.map(({ bodyBytes }) => bodyBytes)).toEqual([24, 24]);
  });

  it("reads a delivery again once its answer was written", async () => {
    const receiver = await open();
    // Later than a busy machine asks.
    const { token, url } = webhook(receiver, [answer(200, 3_000)]);
    const asking = asked(receiver, token);
    const posting = post(url);
    expect(await asking).toMatchObject([{ answeredAtMs: null }]);
    await posting;
    expect(await asked(receiver, token)).toMatchObject([{ answeredAtMs: expect.any(Number) }]);
  });
});

describe("POST /deliveries", () => {
  it("asks for many tokens, each from its own point on", async () => {
    const tokens = [newToken(), newToken(), newToken()] as const;
    const receiver = await holding([...tokens, tokens[0]]);
    const read = { [tokens[0]]: 1, [tokens[1]]: 1, [tokens[2]]: 0 };
    const sinceMs = nowMs();
    const { body } = await send(receiver, "/deliveries", { tokens: read, waitMs: 0 });
    const untilMs = nowMs();
    const { deliveries, now } = deliveriesAnswer.parse(body);
    const shown = deliveries.map(({ token, attempt }) => [token, attempt]);
    expect(shown).toEqual([
      [tokens[0], 2],
      [tokens[2], 1],
    ]);
    expect(now).toBeGreaterThanOrEqual(sinceMs);
    expect(now).toBeLessThanOrEqual(untilMs);
  });
});

describe("GET /arrivals", () => {
  it("is a feed over all tokens that goes on where the reader stopped", async () => {
    const tokens = [newToken(), newToken(), newToken()];
    const receiver = await holding(tokens);
    const first = await arrivals(receiver, "limit=2");
    const second = await arrivals(receiver, `after=${first.next}`);
    const third = await arrivals(receiver, `after=${second.next}`);
    const shown = [first, second, third].map((page) => page.deliveries.map(({ token }) => token));
    expect(shown).toEqual([tokens.slice(0, 2), tokens.slice(2), []]);
    expect(third.next).toBe(second.next);
  });

  it("shows one session's deliveries only, and passes over the others", async () => {
    const own = `session-1-${newToken()}`;
    const receiver = await holding([newToken(), own, newToken()]);
    const page = await arrivals(receiver, "prefix=session-1-");
    expect(page.deliveries.map(({ token }) => token)).toEqual([own]);
    const { next } = await arrivals(receiver, `prefix=session-1-&after=${page.next}`);
    expect(await arrivals(receiver, `after=${next}`)).toMatchObject({ deliveries: [] });
  });

  it("waits for the next arrival", async () => {
    const receiver = await open();
    const asking = arrivals(receiver, "waitMs=20000");
    const { token, url } = webhook(receiver, [OK]);
    await post(url);
    expect((await asking).deliveries).toMatchObject([{ token }]);
  });

  it("says how many the memory bound evicted before they were read", async () => {
    const limits = { bodyCapBytes: 1_000, memoryCapBytes: 5_000 };
    const tokens = Array.from({ length: 10 }, newToken);
    const receiver = await holding(tokens, limits);
    const page = await arrivals(receiver, "");
    expect(page.deliveries.map(({ token }) => token)).toEqual(tokens.slice(-4));
    expect(page.evicted).toBe(6);
  });
});

describe("POST /forget", () => {
  it("frees what is kept, and lets a token's script begin again", async () => {
    const receiver = await open();
    const { token, url } = webhook(receiver, [answer(500), OK]);
    await post(url);
    expect((await send(receiver, "/forget", { tokens: [token] })).status).toBe(200);
    expect(await receiver.stats()).toMatchObject({ deliveries: 0, tokens: 0, bytes: 0 });
    expect((await post(url)).status).toBe(500);
    await receiver.forget([token]);
    expect(await receiver.deliveries(token)).toEqual([]);
  });

  it(covers("keeps the log small beside a token that stays", "40 receiver"), async () => {
    const stays = newToken();
    const receiver = await holding([stays]);
    for (let round = 0; round < 50; round += 1) {
      const tokens = Array.from({ length: 30 }, newToken);
      await Promise.all(tokens.map((token) => post(webhook(receiver, [OK], token).url)));
      await receiver.forget(tokens);
    }
    const last = newToken();
    await post(webhook(receiver, [OK], last).url);
    const page = await arrivals(receiver, "");
    expect(page.deliveries.map(({ token }) => token)).toEqual([stays, last]);
    expect(page.next).toBe(1_502);
  });
});

describe("the query interface", () => {
  const shared = startReceiver();
  afterAll(async () => (await shared).close());

  it("opens the refusing port and tells its figures", async () => {
    const receiver = await open({ refusing: true });
    expect((await send(receiver, "/open-refusing", "")).status).toBe(200);
    const { url } = webhook(receiver, [OK]);
    expect(
      (await post(url.replace(/^http:..[^/]+/, receiver.access.refusingUrl ?? ""))).status,
    ).toBe(200);
    const stats = receiverStats.parse((await get(receiver, "/stats")).body);
    expect(stats).toMatchObject({ deliveries: 1, tokens: 1, evictedDeliveries: 0 });
  });

  it.each([
    ["GET", "/deliveries", undefined, 400, /token/],
    ["GET", "/deliveries?token=a&after=-1", undefined, 400, /after/],
    ["GET", "/deliveries?token=a&waitMs=60000", undefined, 400, /waitMs.*30000/],
    ["GET", "/arrivals?afer=1", undefined, 400, /afer/],
    ["GET", "/arrivals?limit=0", undefined, 400, /limit.*1 to 5000/],
    ["GET", "/arrivals?after=1&after=2", undefined, 400, /after/],
    ["POST", "/deliveries", '{"tokens":{"a":0.5}}', 400, /^a: /],
    ["POST", "/deliveries", "[]", 400, /expected an object/],
    ["POST", "/deliveries", "{", 400, /not JSON/],
    ["POST", "/forget", '{"tokens":"a"}', 400, /tokens/],
    ["PUT", "/stats", undefined, 404, /expected one of: GET .deliveries/],
    ["POST", "/d/abcdefghijklmnopqr/200", "{}", 404, /no "POST/],
  ])("refuses %s %s %s with %i", async (method, path, body, status, message) => {
    const receiver = await shared;
    const url = receiver.access.queryUrl + path;
    const headers = secretHeaders(receiver);
    const response = await fetch(url, { method, headers, body: body ?? null });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(message) });
  });

  it.each([
    ["GET", "/deliveries?token=abcdefghijklmnopqr"],
    ["POST", "/deliveries"],
    ["GET", "/arrivals"],
    ["POST", "/forget"],
    ["POST", "/open-refusing"],
    ["GET", "/access"],
    ["GET", "/stats"],
    ["GET", "/nothing"],
  ])("answers %s %s with 401 to who does not know the secret", async (method, path) => {
    const { access, querySecret } = await shared;
    const { length } = querySecret;
    const wrong = ["", "Bearer", `Bearer ${"x".repeat(length)}`, `Bearer ${querySecret}x`];
    const answers = [{}, ...wrong.map((authorization) => ({ authorization }))].map((headers) =>
      fetch(access.queryUrl + path, { method, headers }),
    );
    for (const response of await Promise.all(answers)) {
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      const text = await response.text();
      expect(text).toContain("PLUMBLINE_SINK_SECRET");
      expect(text).not.toContain(querySecret);
    }
  });

  it("forgets and opens nothing for who does not know the secret", async () => {
    const receiver = await open({ refusing: true });
    const { token, url } = webhook(receiver, [OK]);
    await post(url);
    const body = JSON.stringify({ tokens: [token] });
    await fetch(`${receiver.access.queryUrl}/forget`, { method: "POST", body });
    await fetch(`${receiver.access.queryUrl}/open-refusing`, { method: "POST" });
    expect(await receiver.deliveries(token)).toHaveLength(1);
    await expect(fetch(receiver.access.refusingUrl ?? "")).rejects.toThrow();
  });

  it("has a secret of its own for each receiver, and takes a given one", async () => {
    const [one, other] = [await open(), await open()];
    expect(one.querySecret).toMatch(/^[\w-]{43}$/);
    expect(other.querySecret).not.toBe(one.querySecret);
    expect(JSON.stringify(one.access)).not.toContain(one.querySecret);
    const given = await open({ querySecret: "a-secret-of-the-test" });
    expect((await get(given, "/stats")).status).toBe(200);
    await expect(open({ querySecret: "short" })).rejects.toThrow(/querySecret.*16 to 256/);
  });
});
