/** The line in which the probe's requests wait for their share of the plan's rate. */

import { expect, it } from "vitest";
import { Pacer } from "../../../probe/client/pacer.ts";

const KEY = {
  name: "main",
  env: "KEY",
  state: "active",
  plan: null,
  sustained: 10,
  burst: 20,
  account: null,
} as const;

it("who can't wait takes no place from those who can", () => {
  const pacer = new Pacer(KEY, 0.1);
  expect(pacer.book(0, 0)).toBe(0);
  for (let asked = 0; asked < 5; asked += 1) expect(pacer.book(0, 999)).toBeNull();
  expect(pacer.book(0, 1_000)).toBe(1_000);
});
