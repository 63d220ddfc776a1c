/** What came of a request, in a few words. */

import type { Exchange } from "../../contract/exchange.ts";
import { errorText } from "../../contract/exchange.ts";
import { webPageText } from "../../contract/web-page.ts";

/** `answered 502`, `answered 200 with a web page "Sign in"`, `no answer (reset)`. */
export function answerText(exchange: Exchange | null | undefined): string {
  if (exchange == null) return "no response";
  if (exchange.error !== null) return errorText(exchange.error);
  const page = webPageText(exchange);
  return `answered ${exchange.status}${page === null ? "" : ` with ${page}`}`;
}
