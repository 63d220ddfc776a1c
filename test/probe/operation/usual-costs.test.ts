/** When a job is said to cost more than usual. */

import { expect, it } from "vitest";
import { UsualCosts } from "../../../probe/operation/usual-costs.ts";

const credits = (amount: number) => ({ credits: amount, usd: 0 });

function learnt(costs: UsualCosts, amounts: readonly number[]) {
  return amounts.flatMap((amount) => costs.learn("echo", credits(amount)) ?? []);
}

it("a job that costs more than five times as much as most before it is told", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(9).fill(0.2))).toEqual([]);
  expect(learnt(costs, [9.9, 1])).toEqual([]);
  expect(learnt(costs, [1.1])).toEqual(["1.1 credits, usually 0.2"]);
  expect(costs.learn("other", credits(9))).toBeNull();
});

it("what is free tells no price, and a new price is usual after some thirty jobs", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(40).fill(0))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(1))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(10))).toHaveLength(30);
});
