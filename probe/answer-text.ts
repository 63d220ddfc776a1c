/** What came of a request, in a few words. */

import { toldWaitMs } from "../contract/answers/retry-after.ts";
import { isWebPage, webPageText } from "../contract/answers/web-page.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { errorText, isSuccess, isUnconnected, jsonBody } from "../contract/requests/exchange.ts";
import { utc } from "../contract/time/timestamps.ts";
import { spell } from "./spell.ts";

/** Of a sign-in or a firewall: where the service refuses a key, it says so in JSON. Spec §5, §7. */
const REFUSED: readonly number[] = [401, 403];

/** What announces maintenance: RFC 9110, 15.6.4 and 10.2.3. */
const UNAVAILABLE = 503;
const MINUTE_MS = 60_000;

/** `answered 502`, `answered 503, maintenance announced until 03:30 UTC`, `no response (reset)`. */
export function answerText(exchange: Exchange | null | undefined): string {
  if (exchange == null) return "no response";
  if (isUnconnected(exchange)) return "no response (no connection within seconds)";
  if (exchange.error !== null) return errorText(exchange.error);
  const page = webPageText(exchange) ?? unreadableText(exchange);
  const front = isPageInFront(exchange) ? IN_FRONT : "";
  const said = page === null ? "" : ` with ${page}${front}`;
  return `answered ${exchange.status}${said}${waitText(exchange)}`;
}

/** What a success has where JSON belongs: one that breaks off looks well by its status. */
function unreadableText(exchange: Exchange): string | null {
  if (!isSuccess(exchange) || jsonBody(exchange) !== undefined) return null;
  if (exchange.body === "") return "an empty body";
  return /^\s*[[{]/.test(exchange.body) ? "JSON that breaks off or is invalid" : "no JSON";
}

/** Ours: an overload asks for less. */
const MAINTENANCE_MS = 5 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** In whole minutes, so that answers that count down say the same; seconds are no news. */
function waitText(exchange: Exchange): string {
  const waitMs = exchange.status === UNAVAILABLE ? toldWaitMs(exchange, 0) : 0;
  if (waitMs < MINUTE_MS) return "";
  if (waitMs < MAINTENANCE_MS) {
    return `, asking for a wait of ${spell(Math.ceil(waitMs / MINUTE_MS) * MINUTE_MS)}`;
  }
  const untilMs = Math.round((exchange.receivedAtMs + waitMs) / MINUTE_MS) * MINUTE_MS;
  const [day, time = ""] = utc(untilMs).split("T");
  const date = waitMs < DAY_MS ? "" : `${day} `;
  return `, maintenance announced until ${date}${time.slice(0, 5)} UTC`;
}

/** What is said of a page in front. */
export const IN_FRONT = ", as of something in front of the service";

/** Where the service itself sends JSON, a page is a firewall's, a proxy's or a sign-in's. */
export function isPageInFront(exchange: Exchange): boolean {
  return (isSuccess(exchange) || REFUSED.includes(exchange.status)) && isWebPage(exchange);
}
