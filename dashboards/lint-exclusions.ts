/** What grafana/dashboard-linter may find in our boards, with the reason: its file `.lint`. */

import { stringify } from "yaml";

/** The linter reads it from the folder of the board that it looks at. */
export const LINT_FILE = ".lint";

export interface Exclusion {
  reason: string;
  entries: readonly { dashboard: string; panel?: string }[];
}

const LOAD = "Plumbline / Load runs";
const OVERVIEW = "Plumbline / Overview";

const OF_RUNS =
  "k6 sends these series by remote write: nothing scrapes them, so that they have no job and " +
  "no instance. Their labels are run and scenario, which every query of the board matches.";
const OF_RECORDINGS =
  "Recording rules aggregate the objectives over instances; an alert has no instance, and may " +
  "have no job. Queries of alerts match the absence of a label as well.";

const onOverview = (panel: string) => ({ dashboard: OVERVIEW, panel });
const ALERTS = ["Pages", "Firing alerts"].map(onOverview);
const RECORDINGS = [
  "Error budget left, 30 days",
  "Burn rate, last hour",
  "Bad events of each objective",
].map(onOverview);

/** By rule of the linter. Only what is named here: the next violation of the rule is told. */
export const EXCLUSIONS: Readonly<Record<string, Exclusion>> = {
  "template-job-rule": { reason: OF_RUNS, entries: [{ dashboard: LOAD }] },
  "template-instance-rule": { reason: OF_RUNS, entries: [{ dashboard: LOAD }] },
  "target-job-rule": {
    reason: `${OF_RUNS} ${OF_RECORDINGS}`,
    entries: [{ dashboard: LOAD }, ...ALERTS],
  },
  "target-instance-rule": {
    reason: `${OF_RUNS} ${OF_RECORDINGS}`,
    entries: [{ dashboard: LOAD }, ...ALERTS, ...RECORDINGS],
  },
  "target-rate-interval-rule": {
    reason: "Canaries run every few minutes: a rate over one interval is 0 or far too high.",
    entries: [
      { dashboard: "Plumbline / API and limits", panel: "Cost of canaries, a day" },
      { dashboard: "Plumbline / Probe", panel: "Late starts, last hour" },
    ],
  },
  "target-counter-agg-rule": {
    reason: "Counters of k6 begin at 0 with each run and stay: the last value is the run's count.",
    entries: [{ dashboard: LOAD, panel: "Traffic" }],
  },
};

export function lintExclusions(): string {
  const text = stringify({ exclusions: EXCLUSIONS }, { aliasDuplicateObjects: false });
  return `# For grafana/dashboard-linter --strict.\n${text}`;
}
