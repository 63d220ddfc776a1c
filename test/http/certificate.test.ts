/** A connection over TLS checks the certificate that the service shows now. */

import { randomBytes } from "node:crypto";
import { createServer } from "node:https";
import type { ConnectionOptions, PeerCertificate, TLSSocket } from "node:tls";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Validity } from "../../contract/requests/certificate.ts";
import { tlsOptions } from "../../http/certificate.ts";
import type { ClientOptions } from "../../http/client.ts";
import { createClient } from "../../http/client.ts";
import * as fronts from "../fronts/certificate.ts";
import { openForwardProxy } from "../fronts/forward-proxy.ts";
import * as expired from "../probe/client/expired-certificate.ts";
import { serveOn } from "./serve.ts";

const GOOD = { cert: fronts.LOCALHOST_CERTIFICATE, key: fronts.LOCALHOST_CERTIFICATE_KEY };
const EXPIRED = { cert: expired.EXPIRED_CERTIFICATE, key: expired.EXPIRED_CERTIFICATE_KEY };

/** Each answer ends its connection; sessions may be resumed, whichever certificate is shown. */
async function service() {
  const trusted = getCACertificates();
  const authorities = [fronts.AUTHORITY_CERTIFICATE, expired.EXPIRED_CERTIFICATE];
  setDefaultCACertificates([...trusted, ...authorities]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const ticketKeys = randomBytes(48);
  const resumed: boolean[] = [];
  const server = createServer({ ...GOOD, ticketKeys }, (request, response) => {
    resumed.push((request.socket as TLSSocket).isSessionReused());
    response.writeHead(200, { connection: "close" }).end("{}");
  });
  const port = await serveOn(server);
  return { port, resumed, expire: () => server.setSecureContext({ ...EXPIRED, ticketKeys }) };
}

function asking(baseUrl: string, options: ClientOptions = {}) {
  const client = createClient(baseUrl, options);
  onTestFinished(() => client.close());
  return async () => (await client.send({ route: "me", key: null })).error;
}

it.each(["directly", "through a proxy"])("%s, one that has expired since", async (way) => {
  const { port, resumed, expire } = await service();
  const proxy = await openForwardProxy(port);
  onTestFinished(() => proxy.close());
  const isDirect = way === "directly";
  if (!isDirect) vi.stubEnv("HTTPS_PROXY", proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ask = asking(isDirect ? `https://localhost:${port}` : "https://service.test");
  expect([await ask(), await ask()]).toEqual([null, null]);
  expire();
  expect(await ask()).toBe("tls");
  expect(resumed).toEqual([false, false]);
  expect(proxy.asked).toHaveLength(isDirect ? 0 : 3);
});

it("tells of it on each connection, as far as it is the host's", async () => {
  const { port } = await service();
  const seen: Validity[] = [];
  const onCertificate = (validity: Validity) => seen.push(validity);
  const ask = asking(`https://localhost:${port}`, { onCertificate });
  await ask();
  await ask();
  const validity = {
    fromMs: Date.UTC(2026, 10, 23, 14, 38, 30),
    untilMs: Date.UTC(2126, 9, 30, 14, 38, 30),
  };
  expect(seen).toEqual([validity, validity]);
  expect(await asking(`https://127.0.0.2:${port}`, { onCertificate })()).not.toBe(null);
  expect(seen).toHaveLength(2);
});

it("tells nothing of one whose time is no date", () => {
  const seen: Validity[] = [];
  const options: ConnectionOptions = tlsOptions((validity) => seen.push(validity));
  const shown = (until: string) => {
    const names = { subject: {}, subjectaltname: "DNS:service.test" };
    const certificate = { ...names, valid_from: "Nov 23 14:38:30 2026 GMT", valid_to: until };
    return options.checkServerIdentity?.("service.test", certificate as unknown as PeerCertificate);
  };
  expect([shown("Bad time value"), shown("Nov 24 14:38:30 2026 GMT")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(seen.map(({ untilMs }) => untilMs)).toEqual([Date.UTC(2026, 10, 24, 14, 38, 30)]);
});
