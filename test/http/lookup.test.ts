/** Names are looked up once for the connections of a moment; what failed is asked for again. */

import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { keptLookup } from "../../http/lookup.ts";

const ADDRESSES: LookupAddress[] = [
  { address: "192.0.2.1", family: 4 },
  { address: "2001:db8::1", family: 6 },
];

/** Asks that way for a name, for all of its addresses or for one. */
function asking(answer: () => Promise<LookupAddress[]>) {
  const names: string[] = [];
  const lookup = keptLookup((name) => {
    names.push(name);
    return answer();
  });
  const ask = (name: string, all: boolean) =>
    new Promise((resolve) => {
      lookup(name, { all }, (error, told, family) => resolve(error ?? [told, family]));
    });
  return { names, ask };
}

describe("a lookup that is kept", () => {
  it("asks once for each name, and tells all of its addresses or the first", async () => {
    const { names, ask } = asking(async () => ADDRESSES);
    const told = await Promise.all([ask("a", true), ask("a", false), ask("b", false)]);
    expect(told).toEqual([
      [ADDRESSES, undefined],
      ["192.0.2.1", 4],
      ["192.0.2.1", 4],
    ]);
    expect(names).toEqual(["a", "b"]);
  });

  it("keeps no error", async () => {
    const lost = new Error("no such name");
    const answers = [() => Promise.reject(lost), () => Promise.resolve(ADDRESSES)];
    const { names, ask } = asking(async () => await (answers.shift()?.() ?? ADDRESSES));
    expect(await ask("a", true)).toBe(lost);
    expect(await ask("a", true)).toEqual([ADDRESSES, undefined]);
    expect(names).toEqual(["a", "a"]);
  });
});
