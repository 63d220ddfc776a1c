/** Whether an answer is a web page, as proxies and sign-in pages send where JSON belongs. */

import type { Exchange } from "../requests/exchange.ts";
import { jsonBody } from "../requests/exchange.ts";

/**
 * By how it begins, or by its type: the interface tells no type of JSON, which may have any, nor of
 * an answer without a body, which some frameworks call HTML.
 */
export function isWebPage(exchange: Pick<Exchange, "headers" | "body">): boolean {
  if (/^\s*<(!doctype|html)\b/i.test(exchange.body)) return true;
  const type = exchange.headers["content-type"] ?? "";
  return /\bhtml\b/i.test(type) && exchange.body !== "" && jsonBody(exchange) === undefined;
}

/** Ours: a title stands in the first bytes of a page, and a line holds so much of it. */
const HEAD_CHARS_MAX = 10_000;
const TITLE_CHARS_MAX = 80;

/** `a web page "Sign in"`, or null for any other answer; the title is not escaped. */
export function webPageText(exchange: Pick<Exchange, "headers" | "body">): string | null {
  if (!isWebPage(exchange)) return null;
  const head = exchange.body.slice(0, HEAD_CHARS_MAX);
  const title = /<title\b[^>]*>([^<]*)/i
    .exec(head)?.[1]
    ?.replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (!title) return "a web page";
  const isLong = title.length > TITLE_CHARS_MAX;
  return `a web page "${title.slice(0, TITLE_CHARS_MAX)}${isLong ? "…" : ""}"`;
}
