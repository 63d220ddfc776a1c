/** A receiver that dies is noticed, opened again at its address, and held against nobody. */

import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { createSystemClock } from "../../../../clock/system-clock.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import type { OpenReceiver } from "../../../../probe/operation/webhooks/delivery-desk.ts";
import {
  openDeliveryDesk,
  TOKEN_PREFIX,
} from "../../../../probe/operation/webhooks/delivery-desk.ts";
import { startReceiver } from "../../../../receiver/receiver.ts";

async function open(before: OpenReceiver | null): Promise<OpenReceiver> {
  const port = before === null ? 0 : Number(new URL(before.publicUrl).port);
  const listen = { host: "127.0.0.1", port };
  const { access, ...rest } = await startReceiver({ listen, tokenPrefix: TOKEN_PREFIX });
  return { publicUrl: access.publicUrl, ...rest };
}

const NOTHING_KEPT = { reachedUrl: () => null, keepReached: async () => {} };

it("a receiver that dies is told of, and opened again where jobs in flight expect it", async () => {
  const clock = createSystemClock();
  const told: ProbeEvent[] = [];
  const back = Promise.withResolvers<void>();
  const emit = (event: ProbeEvent) => {
    told.push(event);
    if (event.type === "receiver" && event.listening) back.resolve();
  };
  const receivers: OpenReceiver[] = [];
  const desk = await openDeliveryDesk({
    clock,
    emit,
    journal: NOTHING_KEPT,
    newId: randomUUID,
    skewMs: () => 0,
    lag: { since: async () => 0 },
    isVouched: () => true,
    open: async (before) => {
      const receiver = await open(before);
      receivers.push(receiver);
      return receiver;
    },
  });
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await desk.close();
  });
  const token = desk.newToken();
  const arrived = new Promise<string>((resolve) => {
    desk.watch(token, ({ body }) => resolve(body));
  });
  const url = desk.urlOf(token);
  desk.start(stop.signal);
  const startedMs = clock.nowMs();
  expect(desk.wasAwaySince(startedMs)).toBe(false);
  // What the reader sees of a thread that died is the same.
  await receivers[0]?.close();
  await back.promise;
  expect(told.filter(({ type }) => type === "receiver")).toMatchObject([
    { listening: false, why: expect.stringContaining("closed") },
    { listening: true },
  ]);
  expect([desk.listening, desk.wasAwaySince(startedMs)]).toEqual([true, true]);
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(200);
  expect(await arrived).toBe("{}");
  expect(desk.wasAwaySince(clock.nowMs())).toBe(false);
});

it("tells when the machine was late by the probe's clock, which skipped a sleep", async () => {
  const clock = createSystemClock();
  clock.skip(3_600_000);
  const skewMs = () => clock.skippedMs;
  const told = { emit: () => {}, journal: NOTHING_KEPT };
  const lag = { since: async () => 0 };
  const parts = { clock, ...told, skewMs, lag, isVouched: () => true, newId: randomUUID };
  const fromMs = clock.nowMs();
  const desk = await openDeliveryDesk({ ...parts, open });
  onTestFinished(() => desk.close());
  const endMs = clock.nowMs() + 200;
  while (clock.nowMs() < endMs);
  const lags = (await desk.lags()).filter(({ lagMs }) => lagMs > 100);
  expect(lags.length).toBeGreaterThan(0);
  for (const { toMs } of lags) {
    expect(toMs).toBeGreaterThan(fromMs);
    expect(toMs).toBeLessThanOrEqual(clock.nowMs());
  }
});
