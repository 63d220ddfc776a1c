/** What came of a request, in a few words. */

import { isWebPage, webPageText } from "../contract/answers/web-page.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { errorText, isSuccess } from "../contract/requests/exchange.ts";

/** Of a sign-in or a firewall: where the service refuses a key, it says so in JSON. Spec §5, §7. */
const REFUSED: readonly number[] = [401, 403];

/** `answered 502`, `answered 503 with a web page "Maintenance"`, `no response (reset)`. */
export function answerText(exchange: Exchange | null | undefined): string {
  if (exchange == null) return "no response";
  if (exchange.error !== null) return errorText(exchange.error);
  const page = webPageText(exchange);
  const said = `answered ${exchange.status}`;
  return page === null ? said : `${said} with ${page}${isPageInFront(exchange) ? IN_FRONT : ""}`;
}

/** What is said of a page in front. */
export const IN_FRONT = ", as of something in front of the service";

/** Where the service itself sends JSON, a page is a firewall's, a proxy's or a sign-in's. */
export function isPageInFront(exchange: Exchange): boolean {
  return (isSuccess(exchange) || REFUSED.includes(exchange.status)) && isWebPage(exchange);
}
