/** Tells from a few answers whether the job service is at the target's address at all. */

import { NESTING_MAX } from "../../contract/answers/nesting.ts";
import { isWebPage } from "../../contract/answers/web-page.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import type { Exchange, TransportError } from "../../contract/requests/exchange.ts";
import { isSuccess, isUnconnected, jsonBody } from "../../contract/requests/exchange.ts";
import { VERSION_AT_END } from "../../contract/requests/routes.ts";
import type { PreflightProblem } from "./problems.ts";

/** What to expect instead, by how a request failed. */
const FAILURES: Readonly<Record<TransportError, string>> = {
  refused: "the connection was refused; expected a service that listens there",
  reset: "the connection was closed without an answer; expected an HTTP service",
  timeout: "no response in time; expected one within seconds",
  dns: "its host name does not resolve; expected a known host",
  tls:
    "no TLS connection could be made; expected a certificate that this machine trusts (a " +
    "private CA: SSL_CERT_FILE and NODE_EXTRA_CA_CERTS), and HTTP/1.1 beside HTTP/2",
  local: "this machine has no file descriptor or port left to ask with; expected a higher limit",
  unread:
    `its answer has more than 8 MB, or nests deeper than ${NESTING_MAX} levels; ` +
    "expected the service's account",
  other: "the answer is not HTTP; expected an HTTP service",
};

const UNCONNECTED = "no connection within seconds; expected a way there that no firewall closes";

/** `error`: that of the request, which is not null. */
export function unreachable(
  baseUrl: string,
  request: Exchange,
  error: TransportError,
): PreflightProblem {
  const failure = isUnconnected(request) ? UNCONNECTED : FAILURES[error];
  const message = `target.baseUrl "${baseUrl}": ${failure}`;
  return { code: "target-unreachable", message };
}

/**
 * True for an answer to GET /v1/me that only a service of this interface gives. A refusal counts,
 * a broken answer does not: then the worker list speaks for the service.
 */
export function isServiceAnswer(exchange: Exchange): boolean {
  if (isWebPage(exchange)) return false;
  if (exchange.status === 401 || exchange.status === 403 || exchange.status === 429) return true;
  return isSuccess(exchange) && isObject(jsonBody(exchange));
}

export function isWorkerList(exchange: Exchange): boolean {
  const body = jsonBody(exchange);
  return isSuccess(exchange) && isObject(body) && Array.isArray(body.workers);
}

const NO_VERSION = "the address is expected without /v1, which every request adds";

export function notTheService(baseUrl: string, me: Exchange): PreflightProblem {
  const hint = VERSION_AT_END.test(baseUrl) ? `; ${NO_VERSION}` : "";
  const message = `target.baseUrl "${baseUrl}": GET /v1/me was answered ${described(me)}${hint}`;
  return { code: "not-the-service", message };
}

function described(me: Exchange): string {
  if (me.status >= 300 && me.status < 400) {
    const place = redirectTarget(me.headers.location);
    return `${me.status}${place}; redirects are not followed, expected the service's final address`;
  }
  if (isWebPage(me)) return `${me.status} and HTML; expected the JSON of the job service`;
  if (isSuccess(me))
    return `${me.status} and not a JSON object; expected the job service's account`;
  return `${me.status}; expected 200 and JSON, as the job service answers`;
}

/** Where a redirect leads, without a query, which may carry anything. */
function redirectTarget(location: string | undefined): string {
  return location === undefined ? "" : ` to "${location.replace(/[?#].*$/, "")}"`;
}
