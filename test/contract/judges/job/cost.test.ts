/** The judge of costs. */

import { describe } from "vitest";
import type { Row } from "./table.ts";
import { testTable, when } from "./table.ts";

function cost(amounts: Readonly<Record<string, number>>): Row["scene"] {
  return { edit: when("completed", (body) => void Object.assign(body.cost, amounts)) };
}

const ROWS: readonly Row[] = [
  {
    name: "a negative cost",
    scene: {
      edit: when("completed", (body) => {
        if ("cost_credits" in body) body.cost_credits = -1;
        else Object.assign(body.cost, { total_usd: -0.1, run_usd: -0.1, infra_usd: 0 });
      }),
    },
    breaks: "job.cost",
  },
  {
    name: "a cost that is a text",
    scene: {
      edit: when("completed", (body) => {
        if ("cost_credits" in body) body.cost_credits = "2";
        else body.cost.total_usd = "0.30";
      }),
    },
    breaks: "job.cost",
  },
  {
    name: "a total two tenths of a cent above its parts",
    only: "B",
    scene: cost({ total_usd: 0.302 }),
    breaks: "job.cost",
  },
  {
    name: "a total whose amounts are each rounded up",
    only: "B",
    scene: cost({ total_usd: 0.1336, run_usd: 0.1334, infra_usd: 0.0003 }),
    breaks: null,
  },
  {
    name: "a total whose amounts are each cut to six decimals",
    only: "B",
    scene: cost({ total_usd: 0.001981, run_usd: 0.00149, infra_usd: 0.00049 }),
    breaks: null,
  },
  {
    name: "a total below its only part, which no rounding explains",
    only: "B",
    scene: cost({ total_usd: 0.01, run_usd: 0.0101, infra_usd: 0 }),
    breaks: "job.cost",
  },
  {
    name: "a total that is off by what whole tenths may be rounded",
    only: "B",
    scene: cost({ total_usd: 0.5, run_usd: 0.3, infra_usd: 0.1 }),
    breaks: "job.cost",
  },
  {
    name: "a total from which a discount is taken, to which a tax is added",
    only: "B",
    scene: cost({ total_usd: 0.27, discount_usd: 0.05, tax_usd: 0.02, billing_rate: 7 }),
    breaks: null,
  },
  {
    name: "a total that is off by more than its discount",
    only: "B",
    scene: cost({ total_usd: 0.2, discount_usd: 0.05 }),
    breaks: "job.cost",
  },
  {
    name: "a sum that is right but for a double's rounding",
    only: "B",
    scene: cost({ total_usd: 0.1 + 0.2 }),
    breaks: null,
  },
  {
    name: "a cost of nothing",
    scene: {
      edit: when("completed", (body) => {
        if ("cost_credits" in body) body.cost_credits = 0;
        else Object.assign(body.cost, { total_usd: 0, run_usd: 0, infra_usd: 0 });
      }),
    },
    breaks: null,
  },
];

describe("the cost of a job", () => testTable(ROWS));
