/** What is marked on every graph: things that change the picture from outside. */

import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import { PROBE } from "../boards/selectors.ts";
import { DATASOURCE } from "./panels.ts";

interface Annotation {
  name: string;
  color: string;
  expr: string;
  title: string;
  tags: string;
}

const OF_PROBES: readonly Annotation[] = [
  {
    name: "Probe restarts",
    color: "orange",
    expr: `sum by (location, instance) (changes(process_start_time_seconds{${PROBE}}[$__rate_interval]) and on (job, instance) plumbline_build_info{${PROBE}}) > 0`,
    title: "Probe restarted",
    tags: "location,instance",
  },
  {
    name: "Configuration reloads",
    color: "blue",
    expr: `sum by (location, result) (increase(plumbline_config_reloads_total{${PROBE}}[$__rate_interval])) > 0`,
    title: "Target file read again",
    tags: "location,result",
  },
];

const OF_RUNS: readonly Annotation[] = [
  {
    name: "Gate runs",
    color: "purple",
    expr: "count by (run, scenario) (k6_vus)",
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
