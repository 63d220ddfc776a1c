/** Bodies are unpacked by the codings that are known, and by no other name. */

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpacked } from "../../http/unpack.ts";

const TEXT = Buffer.from('{"jobs":[]}');

function packed(times: number): Buffer {
  let bytes = TEXT;
  for (let n = 0; n < times; n += 1) bytes = gzipSync(bytes);
  return bytes;
}

describe("unpacked", () => {
  it.each(["__proto__", "constructor", "zstd", "identity"])("leaves %s as it is", (coding) => {
    expect(unpacked(TEXT, coding, 1_000)).toEqual(TEXT);
  });

  it("undoes gzip over gzip", () => {
    expect(unpacked(gzipSync(gzipSync(TEXT)), "gzip, x-gzip", 1_000)).toEqual(TEXT);
  });

  it.each([
    [3, TEXT],
    [4, packed(4)],
    [768, packed(768)],
  ])("of %i codings undoes all, or none of more than three", (codings, expected) => {
    const encoding = Array.from({ length: codings }, () => "gzip").join(", ");
    expect(unpacked(packed(codings), encoding, 100_000)).toEqual(expected);
  });

  it.each([
    ["more comes out than is allowed", gzipSync(Buffer.alloc(10_000)), "too-long"],
    ["it is cut", gzipSync(Buffer.alloc(500)).subarray(0, -10), "not-whole"],
    ["it is something else", Buffer.from("no gzip"), "not-whole"],
  ])("gives nothing where %s", (_, bytes, why) => {
    expect(unpacked(bytes, "gzip", 1_000)).toBe(why);
  });
});
