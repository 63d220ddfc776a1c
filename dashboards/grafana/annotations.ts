/** What is marked on every graph: things that change the picture from outside. */

import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { events, PROBE, RATE } from "../boards/selectors.ts";
import { DATASOURCE } from "./panels.ts";

interface Annotation {
  name: string;
  color: string;
  expr: string;
  title: string;
  tags: string;
}

const START = "process_start_time_seconds";

const OF_PROBES: readonly Annotation[] = [
  {
    name: "Probe restarts",
    color: "orange",
    expr: `sum by (location, instance) (changes(${START}{${PROBE}}[${RATE}])) > 0`,
    title: "Probe restarted",
    tags: "location,instance",
  },
  {
    name: "Configuration reloads",
    color: "blue",
    expr: `${events(`plumbline_config_reloads_total{${PROBE}}`, "location, result")} > 0`,
    title: "Target file reloaded",
    tags: "location,result",
  },
];

const OF_RUNS: readonly Annotation[] = [
  {
    name: "Gate runs",
    color: "purple",
    expr: "count by (run, scenario) (k6_vus or k6_plumbline_verdict)",
    title: "Load run",
    tags: "run,scenario",
  },
];

/** `withProbes`: false on a board that has no probe's variables. */
export function annotationsOf(withProbes: boolean): Builder<dashboard.AnnotationQuery>[] {
  return [...(withProbes ? OF_PROBES : []), ...OF_RUNS].map(annotation);
}

function annotation({ name, color, expr, title, tags }: Annotation) {
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .hide(false)
    .iconColor(color)
    .expr(expr)
    .titleFormat(title)
    .tagKeys(tags)
    .useValueForTime(false);
}
