/** The variables of boards, each narrowed by those before it. */

import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type { VariableName } from "../boards/panel.ts";
import { DATASOURCE } from "./panels.ts";

interface Variable {
  label: string;
  description: string;
  /** Prometheus' answer to label_values. */
  query: string;
  /** What "All" stands for: ".*" matches series that lack the label, too. */
  all: ".+" | ".*" | null;
  sort?: dashboard.VariableSort;
}

const INFO = "plumbline_build_info";
const JOB = 'job=~"$job"';
const SERVICE = `${JOB},service=~"$service"`;
const ENVIRONMENT = `${SERVICE},environment=~"$environment"`;
const PLACE = `${ENVIRONMENT},instance=~"$instance",location=~"$location"`;
const NEWEST_FIRST = dashboard.VariableSort.AlphabeticalDesc;

const VARIABLES: Readonly<Record<VariableName, Variable>> = {
  job: {
    label: "Job",
    description: "Scrape job of the probes.",
    query: `label_values(${INFO}, job)`,
    all: ".+",
  },
  service: {
    label: "Service",
    description: "The service under test: a label that scrape configuration or probe may add.",
    query: `label_values(${INFO}{${JOB}}, service)`,
    all: ".*",
  },
  environment: {
    label: "Environment",
    description: "Where the service runs: a label that the scrape configuration may add.",
    query: `label_values(${INFO}{${SERVICE}}, environment)`,
    all: ".*",
  },
  location: {
    label: "Location",
    description: "Where a probe runs.",
    query: `label_values(${INFO}{${ENVIRONMENT}}, location)`,
    all: ".+",
  },
  instance: {
    label: "Instance",
    description: "One of several probes at a location.",
    query: `label_values(${INFO}{${ENVIRONMENT},location=~"$location"}, instance)`,
    all: ".+",
  },
  canary: {
    label: "Canary",
    description: "Canary jobs of the probe.",
    query: `label_values(plumbline_canary_interval_seconds{${PLACE}}, canary)`,
    all: ".+",
  },
  worker: {
    label: "Worker",
    description: "Worker of the service that runs the jobs.",
    query: `label_values(plumbline_jobs_terminal_total{${PLACE}}, worker)`,
    all: ".+",
  },
  run: {
    label: "Run",
    description: "A load run, the latest first.",
    query: "label_values(k6_plumbline_verdict, run)",
    all: null,
    sort: NEWEST_FIRST,
  },
  baseline: {
    label: "Compare with",
    description: "An earlier run, as the base of the comparison.",
    query: "label_values(k6_plumbline_verdict, run)",
    all: null,
    sort: NEWEST_FIRST,
  },
  scenario: {
    label: "Scenario",
    description: "Part of a run.",
    query: 'label_values(k6_plumbline_verdict{run=~"$run|$baseline"}, scenario)',
    all: ".+",
  },
};

export function variablesOf(names: readonly VariableName[]): Builder<dashboard.VariableModel>[] {
  return [datasource(), ...names.map(variable)];
}

function datasource(): Builder<dashboard.VariableModel> {
  return new dashboard.DatasourceVariableBuilder("datasource")
    .label("Data source")
    .description("The Prometheus that scrapes the probes and receives the load runs.")
    .type("prometheus")
    .current({ text: "default", value: "default" });
}

function variable(name: VariableName): Builder<dashboard.VariableModel> {
  const { label, description, query, all, sort } = VARIABLES[name];
  const builder = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .description(description)
    .datasource(DATASOURCE)
    .query({ query, refId: `variable-${name}` })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(sort ?? dashboard.VariableSort.NaturalAsc);
  if (all === null) return builder;
  return builder
    .multi(true)
    .includeAll(true)
    .allValue(all)
    .current({ text: "All", value: "$__all" });
}
