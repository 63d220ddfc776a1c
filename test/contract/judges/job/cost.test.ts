/** The judge of costs. */

import { describe } from "vitest";
import type { Row } from "./table.ts";
import { testTable, when } from "./table.ts";

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
    name: "a total a tenth of a cent above its parts",
    only: "B",
    scene: {
      edit: when("completed", (body) => void Object.assign(body.cost, { total_usd: 0.301 })),
    },
    breaks: "job.cost",
  },
  {
    name: "a sum that is right but for a double's rounding",
    only: "B",
    scene: {
      edit: when("completed", (body) => void Object.assign(body.cost, { total_usd: 0.1 + 0.2 })),
    },
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
