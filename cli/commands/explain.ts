/** `plumbline explain NAME`: a promise, an alert or a section of the interface. */

import { groupOf, PROMISE_GROUPS, PROMISE_IDS } from "../../contract/promises.ts";
import { spell } from "../../probe/spell.ts";
import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { jsonText } from "../../report/text.ts";
import type { Context } from "../context.ts";
import type { ExplainedAlert } from "../explain/alert.ts";
import { ALERT_WORDS, ALERTS_BY_NAME, explainedAlert } from "../explain/alert.ts";
import type { Explained } from "../explain/explain.ts";
import { explained } from "../explain/explain.ts";
import type { Row } from "../explain/laid-out.ts";
import { laidOut } from "../explain/laid-out.ts";
import type { ExplainedSection } from "../explain/section.ts";
import { explainedSection, sectionIn } from "../explain/section.ts";
import { UsageError } from "../usage-error.ts";
import { didYouMean } from "../values/nearest.ts";

interface ExplainFlags {
  name: string;
  json: boolean;
}

export async function explainCommand(
  { name, json }: ExplainFlags,
  { output }: Context,
): Promise<ExitCode> {
  const { values, texts } = asked(name, Math.min(output.results.width, WIDTH_MAX));
  output.result(json ? jsonText(values) : `${texts.join("\n\n")}\n`);
  return EXIT.ok;
}

/** Ours: as of reports. */
const WIDTH_MAX = 100;
/** Ours: enough to see what kind of fault is meant; `reference --list` has all. */
const FAULTS_SHOWN_MAX = 5;

interface Answer {
  values: readonly unknown[];
  texts: readonly string[];
}

function asked(name: string, width: number): Answer {
  const alert = ALERTS_BY_NAME.get(name.toLowerCase());
  if (alert !== undefined) return answer([explainedAlert(alert)], alertText, width);
  const number = sectionIn(name);
  const section = number === null ? null : explainedSection(number);
  if (section !== null) return answer([section], sectionText, width);
  const found = PROMISE_IDS.filter((id) => id === name || groupOf(id) === name);
  if (found.length > 0) return answer(found.map(explained), promiseText, width);
  const near = didYouMean(name, [...PROMISE_GROUPS, ...PROMISE_IDS, ...ALERT_WORDS]);
  const expected = 'an id of "plumbline promises", a group, an alert, or a section such as §4';
  throw new UsageError("invalid-option", [
    `explain: unknown name "${name}"${near}; expected ${expected}`,
  ]);
}

function answer<Value>(
  values: readonly Value[],
  textOf: (value: Value, width: number) => string,
  width: number,
): Answer {
  return { values, texts: values.map((value) => textOf(value, width)) };
}

function promiseText(each: Explained, width: number): string {
  const { id, section, basis, title, variants, rulesOut, needs, faults } = each;
  const only = variants === undefined ? "" : `, variant ${variants.join(", ")} only`;
  const more = faults.length - FAULTS_SHOWN_MAX;
  const first = faults.find(({ certain }) => certain);
  const rows: readonly Row[] = [
    ["how it is judged", [each.judged]],
    ["kept rules out", rulesOut === null ? [] : [strengthLine(rulesOut)]],
    ["usual causes", [each.causes]],
    ["what to do", [each.remedy]],
    ["needs", needs.length === 0 ? ["nothing but an active key"] : needs, "pasted"],
    ["faults to try", faults.slice(0, FAULTS_SHOWN_MAX).map((f) => `${f.name}: ${f.title}`)],
    ["", more > 0 ? [`and ${more} more: plumbline reference --list`] : [], "pasted"],
    ["see it broken", first ? [breaking(id, first)] : [], "pasted"],
  ];
  const source = `  ${basis}${only}; docs/interface.md#s${section}`;
  return laidOut(`${id}  §${section} ${title}\n${source}`, rows, width);
}

function alertText(each: ExplainedAlert, width: number): string {
  const { alert, rules, meaning, impact, board, runbook, runbookUrl } = each;
  const [only, ...others] = rules;
  const severities = rules.map(({ severity, when, forSeconds }) => {
    const since = forSeconds === 0 ? "at once" : `after ${spell(forSeconds * 1_000)}`;
    return others.length === 0 ? `${severity}, ${since}` : `${severity}, ${since}: ${when}`;
  });
  const rows: readonly Row[] = [
    ["fires when", only === undefined || others.length > 0 ? [] : [only.when]],
    ["severity", severities],
    ["means", [meaning]],
    ["impact", [impact]],
    ["board", [board]],
    ["runbook", [runbook, `${runbookUrl} (of a probe on this machine)`], "pasted"],
  ];
  return laidOut(`${alert}  an alert`, rows, width);
}

function sectionText(each: ExplainedSection, width: number): string {
  const { section, title, document, promises } = each;
  const rows: readonly Row[] = [
    ["text", [document]],
    ["promises", promises.map(({ id, section: of, title: what }) => `${id}  §${of} ${what}`)],
    ["", promises.length === 0 ? ["no promise rests on it alone"] : []],
  ];
  return laidOut(`§${section} ${title}`, rows, width);
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
