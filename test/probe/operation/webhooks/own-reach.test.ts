/** A receiver whose public address leads nowhere is told as that, not as a fault of the service. */

import { X509Certificate } from "node:crypto";
import { createServer } from "node:https";
import type { LookupFunction } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import type { OpenReceiver } from "../../../../probe/operation/webhooks/delivery-desk.ts";
import { openDeliveryDesk } from "../../../../probe/operation/webhooks/delivery-desk.ts";
import type { Asked } from "../../../../probe/operation/webhooks/own-reach.ts";
import { askAddress } from "../../../../probe/operation/webhooks/own-reach.ts";
import * as fronts from "../../../fronts/certificate.ts";
import { serveOn } from "../../../http/serve.ts";
import * as expired from "../../client/expired-certificate.ts";
import { fakeClock } from "../../fake-clock.ts";

const GOOD = { cert: fronts.LOCALHOST_CERTIFICATE, key: fronts.LOCALHOST_CERTIFICATE_KEY };
const EXPIRED = { cert: expired.EXPIRED_CERTIFICATE, key: expired.EXPIRED_CERTIFICATE_KEY };

const OK: Asked = { why: null };
const FAILED: Asked = { why: "certificate has expired" };

describe("a request to the public address", () => {
  const { signal } = new AbortController();

  it("meets the receiver, what else answers there, or a certificate that has expired", async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, fronts.AUTHORITY_CERTIFICATE, EXPIRED.cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    let status = 405;
    const server = createServer(GOOD, (_, response) => response.writeHead(status).end("no"));
    const url = `https://localhost:${await serveOn(server)}/d/probe-0123456789abcdef/200`;
    const { validFromDate, validToDate } = new X509Certificate(GOOD.cert);
    const validity = { fromMs: validFromDate.getTime(), untilMs: validToDate.getTime() };
    expect(await askAddress(url, signal)).toEqual({ why: null, validity });
    status = 502;
    expect(await askAddress(url, signal)).toEqual({ why: "answered 502", validity });
    server.setSecureContext(EXPIRED);
    expect(await askAddress(url, signal)).toEqual({ ...FAILED, isSure: true });
  });

  it("fails where its name is gone, and says nothing where no resolver answers", async () => {
    const asked = (code: string) => {
      const lookup: LookupFunction = (_, __, done) =>
        done(Object.assign(new Error(code), { code }), "");
      return askAddress("http://receiver.invalid/d/token/200", signal, { lookup });
    };
    expect(await asked("ENOTFOUND")).toEqual({ why: "ENOTFOUND", isSure: false });
    expect(await asked("EAI_AGAIN")).toBeNull();
  });
});

/** A desk whose own requests come to this, one a minute; what is told of the receiver. */
async function deskOf(
  asked: readonly (Asked | "delivery")[],
  kept: string | null = null,
  lagMs = 0,
) {
  const clock = fakeClock();
  const told: ProbeEvent[] = [];
  let hand: (arrivals: { deliveries: Delivery[]; next: number }) => void = () => {};
  const left = asked.values();
  const next = () => left.next().value;
  const receiver: OpenReceiver = {
    publicUrl: "https://hooks.test",
    arrivals: () => new Promise((resolve) => (hand = resolve)),
    forget: async () => {},
    stats: async () => ({ hostLags: [] }),
    close: async () => {},
    ask: async () => {
      const came = next() ?? null;
      if (came !== "delivery") return came;
      hand({ deliveries: [{ token, arrivedAtMs: clock.nowMs() } as Delivery], next: 1 });
      return null;
    },
  };
  const emit = (event: ProbeEvent) => void (event.type === "receiver" && told.push(event));
  const written: (string | null)[] = [];
  const keepReached = async (url: string | null) => void written.push(url);
  const journal = { reachedUrl: () => kept, keepReached };
  const given = { clock, emit, journal, newId: () => "0123456789abcdef", skewMs: () => 0 };
  const desk = await openDeliveryDesk({
    ...given,
    isVouched: () => true,
    lag: { since: async () => lagMs },
    open: async () => receiver,
  });
  const token = desk.newToken();
  desk.watch(token, () => {});
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  desk.start(stop.signal);
  const startedMs = clock.nowMs();
  const away: boolean[] = [];
  for (const _ of asked) {
    await new Promise(setImmediate);
    away.push(desk.wasAwaySince(startedMs));
    clock.advance(60_000);
  }
  return { told, away, desk, written };
}

const lostIn = ({ told }: { told: readonly ProbeEvent[] }) =>
  told.filter((event) => event.type === "receiver" && !event.listening).length;

describe("a receiver that own requests don't reach", () => {
  it("is told of from the second on, until one comes through", async () => {
    const { told, away, desk } = await deskOf([OK, FAILED, FAILED, FAILED, OK]);
    const why = "the probe can't reach its own https://hooks.test: certificate has expired";
    const reached = { listening: true, byItself: true };
    expect(told).toMatchObject([reached, { listening: false, why }, reached]);
    expect(away).toEqual([false, false, true, true, true]);
    expect(desk.listening).toBe(true);
  });

  it("is told of from the start where its certificate has expired", async () => {
    const sure = { ...FAILED, isSure: true };
    expect((await deskOf([sure, sure])).told).toMatchObject([{ listening: false }]);
    const { told } = await deskOf([sure, sure, "delivery", sure, sure, sure]);
    expect(told).toMatchObject([{ listening: false }, { listening: true }]);
  });

  it("is told of after a restart where one had come through before", async () => {
    const url = "https://hooks.test";
    const reached = await deskOf([OK, OK, FAILED, FAILED]);
    expect(reached.written).toEqual([url]);
    const restarted = await deskOf([FAILED, FAILED], url);
    expect(restarted.told).toMatchObject([{ listening: false }]);
    expect(restarted.away).toEqual([false, true]);
    expect(lostIn(await deskOf([FAILED, FAILED, FAILED], "https://other.test"))).toBe(0);
    expect((await deskOf([FAILED, FAILED, "delivery", OK], url)).written).toEqual([null, url]);
  });

  it("says nothing while this machine stood still, unless what came is sure", async () => {
    const url = "https://hooks.test";
    const failed = { ...FAILED, isSure: false };
    expect(lostIn(await deskOf([failed, failed, failed], url, 2_000))).toBe(0);
    expect(lostIn(await deskOf([failed, failed, failed], url, 1_999))).toBe(1);
    const answered: Asked = { why: "answered 502" };
    expect(lostIn(await deskOf([answered, answered], url, 2_000))).toBe(1);
    const sure = { ...FAILED, isSure: true };
    expect(lostIn(await deskOf([sure, sure], url, 2_000))).toBe(1);
  });

  it("may be out of reach from there alone, where none came through or webhooks come", async () => {
    expect((await deskOf([FAILED, FAILED, FAILED])).told).toEqual([]);
    expect(lostIn(await deskOf([OK, FAILED, OK, FAILED, null, OK]))).toBe(0);
    const failing = await deskOf([OK, FAILED, FAILED, "delivery", FAILED, FAILED, FAILED]);
    expect(lostIn(failing)).toBe(1);
    expect(failing.told.at(-1)).toMatchObject({ listening: true, byItself: false });
  });
});
