/** What came of a request, in a few words. */

import { toldWaitMs } from "../contract/answers/retry-after.ts";
import { isWebPage, webPageText } from "../contract/answers/web-page.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { errorText, isSuccess } from "../contract/requests/exchange.ts";
import { spell } from "./spell.ts";

/** Of a sign-in or a firewall: where the service refuses a key, it says so in JSON. Spec §5, §7. */
const REFUSED: readonly number[] = [401, 403];

/** What announces maintenance: RFC 9110, 15.6.4 and 10.2.3. */
const UNAVAILABLE = 503;
const MINUTE_MS = 60_000;

/** `answered 502`, `answered 503, asking for a wait of 30 min`, `no response (reset)`. */
export function answerText(exchange: Exchange | null | undefined): string {
  if (exchange == null) return "no response";
  if (exchange.error !== null) return errorText(exchange.error);
  const page = webPageText(exchange);
  const front = isPageInFront(exchange) ? IN_FRONT : "";
  const said = page === null ? "" : ` with ${page}${front}`;
  return `answered ${exchange.status}${said}${waitText(exchange)}`;
}

/** In whole minutes, so that answers that count down say the same for one; seconds are no news. */
function waitText(exchange: Exchange): string {
  const waitMs = exchange.status === UNAVAILABLE ? toldWaitMs(exchange, 0) : 0;
  const minutesMs = Math.ceil(waitMs / MINUTE_MS) * MINUTE_MS;
  return waitMs < MINUTE_MS ? "" : `, asking for a wait of ${spell(minutesMs)}`;
}

/** What is said of a page in front. */
export const IN_FRONT = ", as of something in front of the service";

/** Where the service itself sends JSON, a page is a firewall's, a proxy's or a sign-in's. */
export function isPageInFront(exchange: Exchange): boolean {
  return (isSuccess(exchange) || REFUSED.includes(exchange.status)) && isWebPage(exchange);
}
