/** Runs one k6 scenario under a time limit and brings home the evidence it leaves. */

import { revealed } from "../contract/text/secret.ts";
import type { RemoteWrite, SeriesLabels } from "./remote-write.ts";
import {
  remoteWriteArguments,
  remoteWriteEnvironment,
  remoteWriteSecrets,
} from "./remote-write.ts";
import type { PrivateFiles, ScenarioOptions, ScenarioRun } from "./scenario-process.ts";
import { callersEnvironment, runProcess } from "./scenario-process.ts";

export interface RunK6Options extends ScenarioOptions {
  k6Path: string;
  /** Absolute path of the scenario. */
  script: string;
  /** Where k6's metrics are sent as well. */
  remoteWrite?: RemoteWrite | null;
  /** Labels of these metrics; the name as their scenario where nothing else is said. */
  seriesLabels?: SeriesLabels;
}

/**
 * Ours: with Go's default a third of k6's processor time under load goes into collecting garbage;
 * the heap may grow to four times what is in use instead of twice, up to a bound.
 */
export const GO_MEMORY = { GOGC: "300", GOMEMLIMIT: "1GiB" } as const;

/** k6's settings that keep it to itself: no extension downloads, no usage report. */
export const K6_ENVIRONMENT = {
  K6_AUTO_EXTENSION_RESOLUTION: "false",
  K6_NO_USAGE_REPORT: "true",
} as const;

/**
 * k6 keeps each value of its metrics in memory for thresholds and summary: hundreds of megabytes a
 * day at 50 jobs a second. A soak goes without; its evidence is on the console.
 */
export const WITHOUT_METRICS = ["--no-thresholds", "--summary-mode=disabled"];

/** Never rejects for what k6 does; rejects when files can't be written or k6 can't be started. */
export function runK6(options: RunK6Options): Promise<ScenarioRun> {
  const invocationOf = (files: PrivateFiles) => ({
    program: options.k6Path,
    args: k6Arguments(options, files),
    env: k6Environment(options, files.plan),
  });
  return runProcess(options, invocationOf, remoteWriteSecrets(process.env));
}

function k6Arguments(options: RunK6Options, files: PrivateFiles): string[] {
  const { name, plan, remoteWrite, script, seriesLabels = { scenario: name } } = options;
  const isSoak = plan.profile === "soak";
  return [
    "run",
    "--quiet",
    "--no-color",
    "--log-format=raw",
    `--console-output=${files.console}`,
    ...(isSoak ? WITHOUT_METRICS : [`--summary-export=${files.summary}`]),
    ...(remoteWrite ? remoteWriteArguments(remoteWrite, seriesLabels) : []),
    script,
  ];
}

function k6Environment(
  { secrets, remoteWrite }: RunK6Options,
  planPath: string,
): Record<string, string> {
  return {
    ...GO_MEMORY,
    ...callersEnvironment(),
    ...(remoteWrite ? remoteWriteEnvironment(remoteWrite, process.env) : {}),
    ...revealed(secrets),
    ...K6_ENVIRONMENT,
    PLUMBLINE_PLAN: planPath,
  };
}
