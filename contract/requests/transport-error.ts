/** Puts a failed request's error into the closed set of exchange.ts. */

import type { TransportError } from "./exchange.ts";

/** Codes of Node, of its TLS and of undici. Source: their documentation. */
const CODES: Readonly<Record<string, TransportError>> = {
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  ECONNRESET: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EPROTO: "tls",
  EMFILE: "local",
  ENFILE: "local",
  ENOBUFS: "local",
  ENOMEM: "local",
  EADDRNOTAVAIL: "local",
};

/** Codes of OpenSSL's certificate checks, as Node passes them on. */
const CERTIFICATE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

export function transportError(error: unknown): TransportError {
  for (const each of chain(error)) {
    const code = "code" in each ? String(each.code) : "";
    const known = CODES[code];
    if (known !== undefined) return known;
    if (CERTIFICATE.test(code)) return "tls";
    if (each.name === "TimeoutError") return "timeout";
  }
  return "other";
}

/** An error, its causes, and the members of an aggregate (one a tried address). */
function chain(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const members = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [error, ...members.flatMap(chain), ...chain(error.cause)];
}
