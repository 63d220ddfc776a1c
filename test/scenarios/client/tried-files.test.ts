/** How large a file is, as the answer to a part of it tells. */

import { expect, it } from "vitest";
import { tryFile } from "../../../scenarios/client/tried-files.ts";
import { smallWorld } from "../world/small-world.ts";

const TEXT = "a1 ü東😀";
const LENGTH = Buffer.byteLength(TEXT);

it.each([
  ["a length that is told", { "content-length": "12" }, TEXT, 12],
  ["a text that is streamed without a length", {}, TEXT, LENGTH],
  ["what is no text, and has no length", {}, "%PDF \ufffd\ufffd", null],
  ["a text that was compressed on its way", { "content-encoding": "gzip" }, TEXT, null],
  ["nothing", {}, "", null],
])("%s", async (_what, headers, body, bytes) => {
  const { world, until } = smallWorld(() => ({ status: 200, headers, body }));
  const url = "https://files.example.com/one";
  expect(await until(tryFile(world, url))).toEqual({ url, status: 200, bytes });
});

it.each([
  [4_900, 206, 404],
  [5_200, 404, undefined],
])("what is stored %i ms after the end is answered %i", async (storedAfterMs, status, first) => {
  const startMs = Date.UTC(2026, 0, 1);
  const headers = { "content-range": "bytes 0-4/5" };
  const { world, until, requests } = smallWorld((_, nowMs) =>
    nowMs < startMs + storedAfterMs ? { status: 404 } : { status: 206, headers, body: "a1b2c" },
  );
  const tried = await until(tryFile(world, "https://files.example.com/one"));
  expect(tried).toMatchObject({ status });
  expect(tried.firstStatus).toBe(first);
  expect(requests.map((each) => "Range" in each.headers)).toEqual([true, true, false]);
});

it.each([
  ["away as well, so that nothing is told", 404, 0],
  ["there", 206, 404],
  ["over", 403, 404],
])("of a file that is refused, and another that is %s", async (_what, otherStatus, status) => {
  const other = "https://files.example.com/other";
  const { world, until } = smallWorld(({ url }) => ({ status: url === other ? otherStatus : 404 }));
  const tried = await until(tryFile(world, "https://files.example.com/one", () => other));
  expect(tried.status).toBe(status);
});

it("which marks its beginning holds", async () => {
  const mark = `plumbline-${"a1B2".repeat(4)}`;
  const body = `${mark}[ø]&\npage 1\n`;
  const { world, until } = smallWorld(() => ({ status: 206, headers: {}, body }));
  const { marks } = await until(tryFile(world, "https://files.example.com/one"));
  expect(marks).toEqual([mark]);
});
