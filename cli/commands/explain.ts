/** `plumbline explain ID`: a promise, how it is judged, what usually breaks it, what to do. */

import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_GROUPS, PROMISE_IDS } from "../../contract/promises.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { jsonText, wrap } from "../../report/text.ts";
import type { Context } from "../context.ts";
import type { Explained } from "../explain/explain.ts";
import { explained } from "../explain/explain.ts";
import { hint } from "../nearest.ts";
import { UsageError } from "../usage-error.ts";

interface ExplainFlags {
  promise: string;
  json: boolean;
}

export async function explainCommand(
  { promise, json }: ExplainFlags,
  { output }: Context,
): Promise<ExitCode> {
  const all = asked(promise).map(explained);
  const texts = all.map((each) => explanation(each, Math.min(output.results.width, WIDTH_MAX)));
  output.result(json ? jsonText(all) : `${texts.join("\n\n")}\n`);
  return EXIT.ok;
}

/** Ours: as of reports. */
const WIDTH_MAX = 100;
/** Ours: enough to see what kind of fault is meant; `reference --list` has all. */
const FAULTS_SHOWN_MAX = 5;

function asked(name: string): readonly PromiseId[] {
  const found = PROMISE_IDS.filter((id) => id === name || groupOf(id) === name);
  if (found.length > 0) return found;
  const near = hint(name, [...PROMISE_GROUPS, ...PROMISE_IDS]);
  const expected = 'an id of "plumbline promises", or a group';
  throw new UsageError("invalid-option", [
    `explain: unknown promise "${name}"${near}; expected ${expected}`,
  ]);
}

function explanation(each: Explained, width: number): string {
  const { id, section, basis, title, variants, rulesOut, needs, faults } = each;
  const only = variants === undefined ? "" : `, variant ${variants.join(", ")} only`;
  const more = faults.length - FAULTS_SHOWN_MAX;
  const first = faults.find(({ certain }) => certain);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["how it is judged", [each.judged]],
    ["kept rules out", rulesOut === null ? [] : [strengthLine(rulesOut)]],
    ["usual causes", [each.causes]],
    ["what to do", [each.remedy]],
    ["needs", needs.length === 0 ? ["nothing but an active key"] : needs],
    ["faults to try", faults.slice(0, FAULTS_SHOWN_MAX).map((f) => `${f.name}: ${f.title}`)],
    ["", more > 0 ? [`and ${more} more: plumbline reference --list`] : []],
    ["see it broken", first ? [breaking(id, first)] : []],
  ];
  const nameWidth = Math.max(...parts.map(([name]) => name.length));
  const lines = parts.flatMap(([name, texts]) =>
    texts.flatMap((text, at) =>
      wrap(text, width - nameWidth - 4).map((line, part) => {
        return `  ${(at + part === 0 ? name : "").padEnd(nameWidth)}  ${line}`;
      }),
    ),
  );
  return [
    `${id}  §${section} ${title}`,
    `  ${basis}${only}; docs/interface.md#s${section}`,
    ...lines,
  ].join("\n");
}

function breaking(id: string, { name, variant }: Explained["faults"][number]): string {
  const other = variant === "b" ? "" : " --variant a";
  return `plumbline gate --only ${id} --fault ${name}${other}`;
}

/** Each given as "0.947 % (315 deliveries)", or in words where a run sees nothing. */
function strengthLine({ quick, standard }: { quick: string; standard: string }): string {
  const told = (text: string) =>
    text.replace(/^([\d.]+ %) \((.*)\)$/, "faults in more than $1 of $2");
  return `quick: ${told(quick)}; standard: ${told(standard)} (on the embedded service)`;
}
