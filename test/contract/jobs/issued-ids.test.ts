/** Identifiers that shards were issued: merged in any order, one that two of them have shows. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IssuedIds } from "../../../contract/jobs/issued-ids.ts";
import {
  issuedIn,
  mergeIssued,
  newIdSample,
  noteIssued,
} from "../../../contract/jobs/issued-ids.ts";

function drawn(ids: readonly (readonly [id: string, atMs: number])[]): IssuedIds {
  const sample = newIdSample();
  for (const [id, atMs] of ids) noteIssued(sample, id, atMs, "pro");
  return issuedIn(sample);
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => [`job_${from + n}`, from + n] as const);

describe("the identifiers of a load", () => {
  it("show the one that two shards were issued, with both times", () => {
    const a = drawn([
      ["x", 10],
      ["y", 20],
    ]);
    const b = drawn([
      ["z", 15],
      ["x", 30],
    ]);
    expect(mergeIssued(a, b).again).toEqual({ x: [10, 30] });
    expect(mergeIssued(b, drawn([["w", 1]])).again).toEqual({});
    expect(mergeIssued(a, b).keys).toEqual({ x: "pro", y: "pro", z: "pro" });
  });

  it("are bounded, and a sample of them is the same in each shard", () => {
    const a = drawn(numbered(0, 30_000));
    const b = drawn(numbered(29_000, 31_000));
    expect(Object.keys(a.atMs).length).toBeLessThanOrEqual(2_000);
    expect(a.oneIn).toBeGreaterThanOrEqual(16);
    const { again, oneIn } = mergeIssued(a, b);
    const shared = numbered(29_000, 30_000).map(([id]) => id);
    expect(oneIn).toBe(a.oneIn);
    expect(Object.keys(again).length).toBeGreaterThan(0);
    expect(Object.keys(again).every((id) => shared.some((each) => each === id))).toBe(true);
  });

  it("merge in any order and grouping", () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 50 }));
    const shard = fc
      .tuple(fc.array(pair, { maxLength: 8 }), fc.constantFrom(1, 2, 4))
      .map(([pairs, oneIn]): IssuedIds => {
        const sample = { ...newIdSample(), oneIn };
        for (const [number, atMs] of pairs) {
          noteIssued(sample, `job_${number}`, atMs, `key-${atMs % 3}`);
        }
        return issuedIn(sample);
      });
    fc.assert(
      fc.property(shard, shard, shard, (a, b, c) => {
        const left = mergeIssued(mergeIssued(a, b), c);
        expect(mergeIssued(a, mergeIssued(b, c))).toEqual(left);
        expect(mergeIssued(mergeIssued(c, a), b)).toEqual(left);
      }),
      { seed: 20_261_123, numRuns: 300 },
    );
  });
});
