/** `plumbline promises`: the catalogue of what is judged, and what a run would rule out of it. */

import type { PromiseEntry } from "../../contract/promises.ts";
import { PROMISE_GROUPS, PROMISES } from "../../contract/promises.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Variant } from "../../contract/states.ts";
import type { Target } from "../../contract/target.ts";
import type { Finding } from "../../contract/verdict.ts";
import { reportedStrength } from "../../report/build-report.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { strengthText } from "../../report/strength-text.ts";
import { jsonText } from "../../report/text.ts";
import { forecast } from "../../simulation/forecast.ts";
import type { Context } from "../context.ts";
import { gapsOf } from "../init/gaps.ts";
import { loadTargetFile } from "../target-file/read-target-file.ts";
import { OptionReader } from "../values/option-reader.ts";

interface PromisesFlags {
  target?: string;
  profile?: string;
  variant?: string;
  json: boolean;
}

export async function promisesCommand(
  flags: PromisesFlags,
  { output }: Context,
): Promise<ExitCode> {
  const options = new OptionReader();
  const profile = options.profile(flags.profile ?? "quick");
  const variant = options.variant(flags.variant ?? "b");
  for (const name of ["profile", "variant"] as const) {
    if (flags[name] === undefined || flags.target !== undefined) continue;
    options.problem(`--${name} describes a run; expected --target as well`);
  }
  options.finish();
  if (flags.target === undefined) {
    output.result(flags.json ? jsonText(PROMISES) : table(PROMISES));
    return EXIT.ok;
  }
  const { target } = await loadTargetFile(flags.target, null);
  const findings = await forecast({ target, profile, variant });
  const rows = findings.map((finding) => rowOf(finding, target));
  output.result(flags.json ? jsonText(rows) : forecastText(rows, { profile, variant }));
  return EXIT.ok;
}

function table(promises: readonly PromiseEntry[]): string {
  const blocks = byGroup(promises, ({ section, basis, title }) => {
    return `§${section.padEnd(4)} ${basis.padEnd(9)}  ${title}`;
  });
  return `${blocks.join("\n\n")}\n\n${promises.length} promises\n`;
}

/** A block for each group: its name, and a line for each of its promises. */
function byGroup<Entry extends { id: string }>(
  entries: readonly Entry[],
  textOf: (entry: Entry) => string,
): readonly string[] {
  const idWidth = Math.max(...entries.map(({ id }) => id.length));
  return PROMISE_GROUPS.map((group) => {
    const own = entries.filter(({ id }) => id.startsWith(`${group}.`));
    const lines = own.map((entry) => `  ${entry.id.padEnd(idWidth)}  ${textOf(entry)}`);
    return [group, ...lines].join("\n");
  });
}

/** What is to be expected of one promise. */
type Row = ReturnType<typeof rowOf>;

function rowOf({ promise, verdict, reason, strength }: Finding, target: Target) {
  return {
    id: promise,
    isJudged: verdict === "kept",
    strength: strength === undefined ? null : reportedStrength(strength),
    reason,
    lacking: verdict === "kept" ? [] : lackingFor(promise, target),
  };
}

/** What would have to be added to the file. */
function lackingFor(promise: Finding["promise"], target: Target): readonly string[] {
  const gaps = gapsOf(target).filter(({ promises }) => promises.includes(promise));
  return gaps.map(({ add }) => add);
}

function forecastText(
  rows: readonly Row[],
  { profile, variant }: { profile: RunPlan["profile"]; variant: Variant },
): string {
  const judged = rows.filter(({ isJudged }) => isJudged).length;
  return [
    `A gate of profile ${profile}, rehearsed on a service of variant ${variant} that keeps its ` +
      "promises;\nnothing was sent to the target. Its keys, parts, load and budget of jobs are " +
      "those of the file;\nits prices, run times and input schemas are not known before a run.",
    ...byGroup(rows, expected),
    `${judged} of ${rows.length} promises would be judged\n`,
  ].join("\n\n");
}

function expected({ isJudged, strength, reason, lacking }: Row): string {
  if (isJudged) return strength === null ? "judged" : strengthText(strength);
  const missing = lacking.length === 0 ? "" : `; the file lacks ${lacking.join("; ")}`;
  return `not judged: ${reason ?? "the rehearsal came to no verdict"}${missing}`;
}
