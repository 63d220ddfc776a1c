/** Says the end of a run, to a person or to the CI server that the run is part of. */

import { randomBytes } from "node:crypto";
import { appendFile } from "node:fs/promises";

import { messageOf } from "../../contract/text/thrown.ts";
import { githubAnnotations, stepSummary, withoutCommands } from "../../report/github.ts";
import type { Report } from "../../report/model.ts";
import type { Context } from "../context.ts";

const TOKEN_BYTES = 16;

/**
 * In GitHub Actions, also annotations and the step summary. The runner reads commands from both
 * streams; text and annotations take the same one, as their order matters. A summary that can't
 * be written is told, and changes no verdict.
 */
export async function sayInCi(
  text: string,
  report: Report,
  write: (text: string) => void,
  { environment, output }: Context,
): Promise<void> {
  if (environment.GITHUB_ACTIONS !== "true") {
    write(text);
    return;
  }
  write(withoutCommands(text, randomBytes(TOKEN_BYTES).toString("hex")));
  for (const line of githubAnnotations(report)) write(`${line}\n`);
  const file = environment.GITHUB_STEP_SUMMARY ?? "";
  if (file === "") return;
  await appendFile(file, stepSummary(report)).catch((error: unknown) => {
    const why = messageOf(error);
    output.say(`warning: cannot write GITHUB_STEP_SUMMARY (${why})\n`);
  });
}
