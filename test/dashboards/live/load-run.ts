/** A short load run of the real gate, whose metrics go to the Prometheus of the live test. */

import { runCli } from "../../cli/run-cli.ts";

/** Ours: the scenario that takes the least, with jobs, requests and verdicts. */
const PROMISES = "account,submit";

/** Gives back what the gate said where it did not find the promises kept; null where it did. */
export async function sendLoadRun(prometheusUrl: string, folder: string): Promise<string | null> {
  const url = `${prometheusUrl}/api/v1/write`;
  const args = ["gate", "--only", PROMISES, "--report", folder, "--prometheus-rw", url];
  // Boards are asked for rates: of a run of seconds there must be more than one sample.
  const environment = { K6_PROMETHEUS_RW_PUSH_INTERVAL: "1s" };
  const { exitCode, stderr } = await runCli(args, { environment });
  return exitCode === 0 ? null : `the gate ended with ${exitCode}: ${stderr.slice(-1_000)}`;
}
