/** Turns whatever stopped a command into lines for a person and an exit code; never a stack. */

import { diskTroubleOf, lackOfDescriptors, messageOf, pathOf } from "../contract/text/thrown.ts";
import type { PreflightProblem } from "../gate/preflight/problems.ts";
import { isTargetAway } from "../gate/preflight/problems.ts";
import { ReceiverError } from "../receiver/listen.ts";
import type { ExitCode } from "../report/exit-codes.ts";
import { EXIT } from "../report/exit-codes.ts";
import { ReportDirectoryError } from "../report/report-directory-error.ts";
import { K6UnavailableError } from "../runner/k6-unavailable-error.ts";
import type { Context } from "./context.ts";
import { UsageError } from "./usage-error.ts";

/** A run that must not start: what the preflight found. */
export class PreflightError extends Error {
  override readonly name = "PreflightError";
  readonly problems: readonly PreflightProblem[];

  constructor(problems: readonly PreflightProblem[]) {
    super(problems.map(({ message }) => message).join("\n"));
    this.problems = problems;
  }
}

/** What the user can mend on this machine: k6, the report directory, the webhook address. */
function isMachineError(
  error: unknown,
): error is K6UnavailableError | ReportDirectoryError | ReceiverError {
  if (error instanceof ReceiverError) return error.code === "listen-failed";
  return error instanceof K6UnavailableError || error instanceof ReportDirectoryError;
}

/** Node's report tells the limit without a file descriptor of its own. */
function openFilesText(): string {
  const { userLimits } = process.report.getReport() as Report;
  const limit = userLimits?.open_files?.soft ?? "unknown";
  return `the limit is ${limit}; expected a higher one (ulimit -n)`;
}

/** Not there on Windows, which has no such limits. */
interface Report {
  userLimits?: { open_files?: { soft: number | string } };
}

export function presentError(error: unknown, context: Context): ExitCode {
  const { output, signal, environment } = context;
  const say = (code: string, message: string) => output.say(`error (${code}): ${message}\n`);
  const lack = lackOfDescriptors(error);
  if (lack !== null) {
    const what = `this program has no file descriptor left (${messageOf(lack)})`;
    say("no-descriptors", `${what}; ${openFilesText()}`);
    return EXIT.noVerdict;
  }
  if (error instanceof UsageError) {
    for (const problem of error.problems) say(error.code, problem);
    return EXIT.usage;
  }
  if (error instanceof PreflightError) {
    for (const { code, message } of error.problems) say(code, message);
    return error.problems.some(isTargetAway) ? EXIT.noVerdict : EXIT.usage;
  }
  if (isMachineError(error)) {
    say(error.code, error.message);
    return diskTroubleOf(error.cause) === null ? EXIT.usage : EXIT.noVerdict;
  }
  if (signal.aborted) return EXIT.interrupted;
  const disk = diskTroubleOf(error);
  if (disk !== null) {
    const file = pathOf(error);
    const what = file === null ? "a file" : `"${file}"`;
    say("disk", `cannot write ${what} (${disk.cause}); ${disk.remedy}`);
    return EXIT.noVerdict;
  }
  const message = messageOf(error);
  const shown = message.split("\n")[0] ?? "";
  const wantsStack = (environment.PLUMBLINE_DEBUG ?? "") !== "";
  say("internal", wantsStack ? shown : `${shown}; set PLUMBLINE_DEBUG=1 for the stack`);
  if (wantsStack && error instanceof Error) output.say(`${error.stack}\n`);
  return EXIT.noVerdict;
}
