/** How figures read to a person. */

import { expect, it } from "vitest";
import { duration, evidenceText } from "../../report/text.ts";

it.each([
  [0.1234, "0.123 ms"],
  [2.6, "2.6 ms"],
  [42.1875, "42.2 ms"],
  [396.797_851_562_5, "397 ms"],
  [-396.797_851_562_5, "-397 ms"],
  [999.7, "1 s"],
  [59_960, "1 min"],
  [125_000, "2 min 5 s"],
  [7_200_000, "2 h"],
  [7_499_600, "2 h 5 min"],
] as const)("%d ms reads %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it("writes identifiers as the service does", () => {
  const [upper, mixed] = ["jb_MX2EZ1R1CD1343ADBA63", "aB3dE5fG7hI9"];
  expect(evidenceText("jobs", { [upper]: 1, [mixed]: 1 })).toBe(`${upper}, ${mixed}`);
  expect(evidenceText("jobs", { [upper]: 2, [mixed]: 1 })).toBe(`${upper}: 2, ${mixed}: 1`);
  expect(evidenceText("workers", { textEcho: 3 })).toBe("textEcho: 3");
  expect(evidenceText("limits", { burstExcess: 3 })).toBe("burst excess: 3");
});
