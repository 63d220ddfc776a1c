/** However an address is spelt: nothing beyond the loopback is posted to, and never metadata. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAllowed, mayName } from "../../reference/webhooks/addresses.ts";

const RUNS = { seed: 20_260_108, numRuns: 3_000 };
const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

/** An IPv4 address in the ways in which a URL may spell it. WHATWG URL, "IPv4 parser". */
function spellings([a, b, c, d]: [number, number, number, number]): string[] {
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => value.toString(16);
  return [
    `${a}.${b}.${c}.${d}`,
    `${number}`,
    `0x${hex(number)}`,
    `0${a.toString(8)}.${b}.${c}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::ffff:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
  ];
}

describe("an address", () => {
  it("of IPv4 is named for this machine alone, however it is spelt", () => {
    const holds = fc.property(octets, (address) => {
      const allowed = spellings(address).map((host) => mayName(`http://${host}:80/`, "loopback"));
      expect(new Set(allowed)).toEqual(new Set([address[0] === 127]));
    });
    const examples: [[number, number, number, number]][] = [
      [[127, 0, 0, 1]],
      [[169, 254, 169, 254]],
      [[0, 0, 0, 0]],
    ];
    fc.assert(holds, { ...RUNS, examples });
  });

  it("is never one of a cloud's metadata, nor of the internet", () => {
    const outside = fc.oneof(
      fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(255), fc.nat(255), fc.nat(255)),
      fc.tuple(fc.constant(172), fc.integer({ min: 32, max: 255 }), fc.nat(255), fc.nat(255)),
    );
    const holds = fc.property(outside, (address) => {
      for (const host of spellings(address)) {
        expect(mayName(`http://${host}/`, "private"), host).toBe(false);
      }
    });
    fc.assert(holds, RUNS);
  });

  it("is judged whatever its text: one that is none is not allowed", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.ipV6(), fc.webUrl(), fc.domain());
    const holds = fc.property(texts, (text) => {
      expect(mayName(text, "loopback")).toBeTypeOf("boolean");
      expect(isAllowed(text, "private")).toBeTypeOf("boolean");
    });
    fc.assert(holds, { ...RUNS, examples: [["fe80::1"], ["fd00:ec2::254"], ["::1%lo"]] });
    expect(["fe80::1", "fd00:ec2::254"].map((each) => isAllowed(each, "private"))).toEqual([
      false,
      false,
    ]);
  });
});
