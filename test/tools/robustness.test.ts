/** Which cells the tests claim is read from their files as they stand. */

import { describe, expect, it } from "vitest";
import { FAULTS } from "../../tools/robustness/faults.ts";
import { proofsIn } from "../../tools/robustness/proofs.ts";

const TEXT = `
describe("a reader", () => {
  describe.each([1, 2])("of %i", () => {
    it.each(ROWS)(covers("ends", "5 probe", "6 gate"), () => {});
  });
});
const ROWS = [[covers("a reset", "2 probe"), reset]];
`;

describe("the cells of a file", () => {
  it("are told with the titles around them", () => {
    expect(proofsIn("a.test.ts", TEXT)).toEqual([
      { file: "a.test.ts", titles: ["a reader", "ends"], cells: ["5 probe", "6 gate"] },
      { file: "a.test.ts", titles: ["a reset"], cells: ["2 probe"] },
    ]);
  });

  it("are written out", () => {
    const text = 'it(covers(title, "5 probe"), () => {});';
    expect(() => proofsIn("a.test.ts", text)).toThrow("a.test.ts: an argument of covers()");
  });
});

it("the faults are 48, numbered without a gap", () => {
  expect(Object.keys(FAULTS)).toEqual(Array.from({ length: 48 }, (_, at) => String(at + 1)));
});
