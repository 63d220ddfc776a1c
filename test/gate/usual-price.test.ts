/** What a job of a run costs on average, by the catalogue. */

import { expect, it } from "vitest";

import type { Target } from "../../contract/target.ts";
import { usualPrice } from "../../gate/preflight/price.ts";

const prices = new Map([
  ["echo", { credits: 1, usd: 0.01 }],
  ["film", { credits: 20, usd: 0.2 }],
  ["rows", { credits: null, usd: 0.03 }],
]);

function priceWith(parts: Readonly<Record<string, string>>) {
  const workers = Object.entries(parts).map(([part, id]) => [part, { id, input: {} }]);
  const { credits, usd } = usualPrice(
    { workers: Object.fromEntries(workers) as Target["workers"] },
    prices,
  );
  return [credits, usd].map((amount) => amount && Math.round(amount * 1e4) / 1e4);
}

it("counts each part as often as it is submitted", () => {
  expect(priceWith({ success: "echo" })).toEqual([1, 0.01]);
  expect(priceWith({ success: "echo", slow: "film" })).toEqual([2.4615, 0.0246]);
});

it("counts timeouts as free", () => {
  expect(priceWith({ success: "echo", timeout: "film" })).toEqual([0.9231, 0.0092]);
});

it("leaves out what has no price, and has none without any", () => {
  expect(priceWith({ success: "echo", list: "rows", empty: "unlisted" })).toEqual([1, 0.0129]);
  expect(priceWith({ success: "unlisted", timeout: "unlisted" })).toEqual([null, null]);
});
