/** Bodies are unpacked by the codings that are known, and by no other name. */

import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpacked } from "../../http/unpack.ts";

const TEXT = Buffer.from('{"jobs":[]}');

function packed(times: number): Buffer {
  let bytes = TEXT;
  for (let n = 0; n < times; n += 1) bytes = gzipSync(bytes);
  return bytes;
}

describe("unpacked", () => {
  it.each(["__proto__", "constructor", "utf-8", "identity"])("leaves %s as it is", (coding) => {
    expect(unpacked(TEXT, coding, 1_000)).toEqual(TEXT);
  });

  it("undoes gzip over gzip", () => {
    expect(unpacked(gzipSync(gzipSync(TEXT)), "gzip, x-gzip", 1_000)).toEqual(TEXT);
  });

  it("undoes zstd over gzip", () => {
    expect(unpacked(zstdCompressSync(gzipSync(TEXT)), "gzip, zstd", 1_000)).toEqual(TEXT);
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
    ["more comes out than is allowed", Buffer.alloc(10_000), 0, "too-long"],
    ["it is cut", Buffer.alloc(500), -10, "not-whole"],
  ])("gives nothing where %s", (_, bytes, end, why) => {
    const cut = (whole: Buffer) => whole.subarray(0, end || whole.length);
    expect(unpacked(cut(gzipSync(bytes)), "gzip", 1_000)).toBe(why);
    expect(unpacked(cut(zstdCompressSync(bytes)), "zstd", 1_000)).toBe(why);
  });

  it.each(["gzip", "zstd"])("gives nothing where it is something else than %s", (coding) => {
    expect(unpacked(Buffer.from("no pack"), coding, 1_000)).toBe("not-whole");
  });
});
