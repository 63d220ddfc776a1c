/** What alerts count: events, not scrapes that saw some. By promtool. */

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { eventCount } from "../../../dashboards/rules/expressions.ts";
import { lookback } from "../../../dashboards/rules/time.ts";
import { TOOL_MS } from "../../go-tool.ts";
import { promtool } from "../promtool.ts";
import { at } from "./healthy.ts";

interface Counting {
  title: string;
  /** Values of a counter, a minute apart; "_" for a sample that is not there. */
  values: string;
  /** When the process began, seconds after the first sample, a minute apart. */
  started?: string;
  events: number;
}

/** The window is of ten minutes, and ends at minute 15. */
const MINUTES = 15;
const LONG_AGO = "-86400x15";

const CASES: readonly Counting[] = [
  { title: "nothing", values: "7x15", events: 0 },
  { title: "23 events that 14 scrapes would see as two", values: "0x9 14x2 23x4", events: 23 },
  { title: "one event, and no half of another", values: "_x12 0 1 1", events: 1 },
  { title: "what lies before the window", values: "0 3 9x13", events: 0 },
  { title: "no event of before Prometheus began to look", values: "_x9 40x3 42x2", events: 2 },
  {
    title: "events of before the first scrape",
    values: "_x9 4x5",
    started: "_x9 590x5",
    events: 4,
  },
  {
    title: "events after a restart that the counter does not show",
    values: "2x9 5x5",
    started: `-86400x9 590x5`,
    events: 5,
  },
  {
    title: "events after a restart in one scrape",
    values: "5x9 3x5",
    started: `-86400x9 590x5`,
    events: 3,
  },
  {
    title: "rises on either side of a restart",
    values: "0x6 1 2 0 1 1 2 2 2 2",
    started: `-86400x8 530x6`,
    events: 4,
  },
];

describe("alerts count", () => {
  it.each(CASES)(
    "$title",
    async ({ values, started = LONG_AGO, events }) => {
      const series = at("plumbline_http_rate_limited_total", 'route="/v1/me"');
      const test = {
        interval: "1m",
        input_series: [
          { series, values },
          { series: at("process_start_time_seconds"), values: started },
        ],
        promql_expr_test: [
          {
            expr: eventCount("plumbline_http_rate_limited_total", lookback(600, 1)),
            eval_time: `${MINUTES}m`,
            exp_samples: [{ labels: '{job="plumbline",location="home"}', value: events }],
          },
        ],
      };
      const files = { "counts.yaml": stringify({ tests: [test] }, { lineWidth: 0 }) };
      expect((await promtool(["test", "rules", "counts.yaml"], files)).said).toMatch(
        /^\s*SUCCESS\s*$/,
      );
    },
    TOOL_MS,
  );
});
