/** Bodies are unpacked by the codings that are known, and by no other name. */

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpacked } from "../../http/unpack.ts";

const TEXT = Buffer.from('{"jobs":[]}');

describe("unpacked", () => {
  it.each(["__proto__", "constructor", "zstd", "identity"])("leaves %s as it is", (coding) => {
    expect(unpacked(TEXT, coding, 1_000)).toEqual(TEXT);
  });

  it("undoes gzip over gzip", () => {
    expect(unpacked(gzipSync(gzipSync(TEXT)), "gzip, x-gzip", 1_000)).toEqual(TEXT);
  });

  it("gives nothing where more comes out than is allowed", () => {
    expect(unpacked(gzipSync(Buffer.alloc(10_000)), "gzip", 1_000)).toBeNull();
  });
});
