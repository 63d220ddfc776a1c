/** Sends k6's metrics to a Prometheus while a scenario runs, labelled by run and scenario. */

import { Secret } from "../contract/text/secret.ts";

export interface RemoteWrite {
  /** Where Prometheus receives, without credentials. */
  url: string;
  /** Tells this run from others; it becomes the label `run`. */
  run: string;
  /** Further labels of every series, which the caller gave. */
  labels?: Readonly<Record<string, string>>;
}

/**
 * What the board on load runs reads of each duration. Without a setting k6 sends p(99) alone; with
 * native histograms it would need a Prometheus that is set up for them.
 */
const TREND_STATS = "p(50),p(95),p(99),max";

/** k6's own settings of this output that the caller may make, credentials among them. */
const PASSED_ON = "K6_PROMETHEUS_RW_";

type Environment = Readonly<Record<string, string | undefined>>;

/** What tells the series of one k6 from those of others in the run, beside the label `run`. */
export interface SeriesLabels {
  scenario: string;
  /** Of a capacity search: which step it is, as the outputs of k6 are named. */
  step?: string;
}

/** k6's tags become labels of every series. */
export function remoteWriteArguments({ run, labels }: RemoteWrite, series: SeriesLabels): string[] {
  const tags = Object.entries({ ...labels, run, ...series }).map(
    ([name, value]) => `--tag=${name}=${value}`,
  );
  return ["--out=experimental-prometheus-rw", ...tags];
}

/** Values that the caller has set, such as `K6_PROMETHEUS_RW_PASSWORD`, win over those of ours. */
export function remoteWriteEnvironment(
  { url }: RemoteWrite,
  environment: Environment,
): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && name.startsWith(PASSED_ON) ? [[name, value] as const] : [],
  );
  return {
    K6_PROMETHEUS_RW_TREND_STATS: TREND_STATS,
    // A run that is over ends on the board as well, and not five minutes later.
    K6_PROMETHEUS_RW_STALE_MARKERS: "true",
    ...Object.fromEntries(given),
    K6_PROMETHEUS_RW_SERVER_URL: url,
  };
}

/** Tells the reader how to find the run's series. */
export function labelNote({ run }: RemoteWrite): string {
  return `its metrics carry the label run="${run}"`;
}

/** What k6 says where a push was refused; the run goes on, and its verdicts stand. */
export function hasFailedToSend(stderr: string): boolean {
  return stderr.includes("Failed to send the time series data to the endpoint");
}

/** Values of the caller's settings that must not be seen, such as passwords and tokens. */
export function remoteWriteSecrets(environment: Environment): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const isSecret = /^K6_PROMETHEUS_RW_(.*PASSWORD|.*TOKEN|.*SECRET.*|.*HEADERS.*)$/.test(name);
    return isSecret && value ? [new Secret(value)] : [];
  });
}
