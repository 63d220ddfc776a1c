/** `plumbline merge DIR`: judges what processes on several machines left of one load, as one. */

import { setTimeout as sleep } from "node:timers/promises";
import { redactor } from "../../contract/text/redact.ts";
import { type Secrets, secretsIn } from "../../contract/text/secret.ts";
import { evidenceFile } from "../../gate/evidence-file.ts";
import { lineOf, runLines } from "../../gate/recording.ts";
import { resultOf } from "../../gate/result.ts";
import type { ProcessRecords, SharedLoad } from "../../gate/shared-load.ts";
import { haveAllEnded, recordingOfShares } from "../../gate/shared-load.ts";
import { buildReport } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import {
  prepareDirectory,
  prepareReportDirectory,
  writeReport,
} from "../../report/report-directory.ts";
import { renderTerminal } from "../../report/terminal.ts";
import type { Context } from "../context.ts";
import { interfaceText } from "../files/interface-text.ts";
import { LOAD_FILE, readLoad, readProcesses, unreadable } from "../files/load-folder.ts";
import { judgedFrom, reportFrom } from "../gate/judged-evidence.ts";
import { resultWriter } from "../output.ts";
import { OptionReader } from "../values/option-reader.ts";

export interface MergeFlags {
  directory: string;
  wait: string;
  report: string;
  strict: boolean;
  verbose: boolean;
  json: boolean;
}

/** Ours: a volume of a network tells of no changes, and a load takes minutes. */
const POLL_MS = 1_000;

export async function mergeCommand(flags: MergeFlags, context: Context): Promise<ExitCode> {
  const { output } = context;
  const options = new OptionReader();
  const waitMs = options.duration("--wait", flags.wait);
  options.finish();
  await prepareDirectory(flags.report, []);
  const { load, left, secrets } = await gathered(flags.directory, waitMs, context);
  const recording = judgedFrom(flags.directory, () => recordingOfShares(load, left));
  // Not before there is something to judge: an earlier report is not lost for a wrong folder.
  await prepareReportDirectory(flags.report);
  const { head, runs, end } = recording;
  const record = evidenceFile(flags.report, secrets);
  await record([lineOf(head), ...runs.map(runLines), lineOf({ type: "end", ...end })].join(""));
  const redact = redactor(secrets.values());
  const report = reportFrom(flags.directory, () =>
    buildReport(resultOf(recording), { strict: flags.strict, labels: {}, redact }),
  );
  const tell = resultWriter(output, flags.json, report);
  tell.write(`\n${renderTerminal(report, { ...tell.style, verbose: flags.verbose })}`);
  await writeReport(flags.report, report, await interfaceText());
  tell.write(`report: ${flags.report}\n`);
  return report.exitCode;
}

interface Gathered {
  load: SharedLoad;
  left: readonly ProcessRecords[];
  secrets: Secrets;
}

/** All that is there once every shard has ended, or when the time is over. */
async function gathered(folder: string, waitMs: number, context: Context): Promise<Gathered> {
  const { environment, signal, output } = context;
  const endsAtMs = performance.now() + waitMs;
  const isOver = () => performance.now() >= endsAtMs || signal.aborted;
  let found = await gatheredYet(folder, environment);
  if (!isComplete(found) && waitMs > 0)
    output.say(`waiting for the shards of the load in ${folder}\n`);
  while (!isComplete(found) && !isOver()) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    found = await gatheredYet(folder, environment);
  }
  if (found !== null) return found;
  signal.throwIfAborted();
  throw unreadable(folder, `it has no ${LOAD_FILE}`);
}

async function gatheredYet(
  folder: string,
  environment: Context["environment"],
): Promise<Gathered | null> {
  const load = await readLoad(folder);
  if (load === null) return null;
  const { keys, receiver } = load.head.plan;
  const secrets = secretsIn(environment, [
    ...keys.map(({ env }) => env),
    ...(receiver?.signature.secretEnvs ?? []),
  ]);
  return { load, left: await readProcesses(folder, redactor(secrets.values())), secrets };
}

function isComplete(found: Gathered | null): found is Gathered {
  return found !== null && haveAllEnded(found.load, found.left);
}
