/** What a job says that it cost: what can be no amount is no price, and frees nothing. */

import { expect, it } from "vitest";
import { statedCost } from "../../../../probe/operation/costs/prices.ts";
import { covers } from "../../../../tools/robustness/covers.ts";

const COST = { credits: null, totalUsd: null, runUsd: null, infraUsd: null, billingMode: null };

it.each([-5, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, null])(
  covers("a cost of %d is not known", "24 probe"),
  (cost) => {
    expect(statedCost({ ...COST, totalUsd: cost })).toBeNull();
    expect(statedCost({ ...COST, credits: cost })).toBeNull();
    expect(statedCost({ ...COST, credits: cost, totalUsd: 2 })).toEqual({
      jobs: 1,
      credits: 0,
      usd: 2,
    });
  },
);

it.each([0, 0.25, 1e308])("a cost of %d is one", (cost) => {
  expect(statedCost({ ...COST, totalUsd: cost })).toEqual({ jobs: 1, credits: 0, usd: cost });
});
