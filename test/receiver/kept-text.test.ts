/** What stays in memory of long heads: the parts that are kept, and not what they were cut from. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRouter } from "../../receiver/delivery-route.ts";
import { shownHeaders, shownText, signedHeaders } from "../../receiver/signature.ts";
import { newToken } from "./post.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Ours: all heads together take 15 MB, what is kept of each at most 2 KB. */
const HEADS = 1_000;
const HEAD_CHARS = 15_000;
const KEPT_BYTES_MAX = 4_000_000;

/** As the parser of requests makes it: of bytes, a text of its own. */
const longText = (begin: string) =>
  Buffer.from(begin.padEnd(HEAD_CHARS, "x"), "latin1").toString("latin1");

const route = createRouter(null);

it.each([
  ["a content type", (text: string) => shownText(text)],
  ["a header that is shown", (text: string) => shownHeaders({ "x-name": text }, "x-signature")],
  ["a signature", (text: string) => signedHeaders({ "x-signature": text }, "X-Signature")],
  ["a message's id", (text: string) => signedHeaders({ "webhook-id": text }, "X-Signature")],
  ["a URL", (text: string) => route(text)],
])("of %s only the part is kept that is read", (_what, keptOf) => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const all = Array.from({ length: HEADS }, () => keptOf(longText(`/d/${newToken()}/200?`)));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(KEPT_BYTES_MAX);
  expect(all).toHaveLength(HEADS);
});
