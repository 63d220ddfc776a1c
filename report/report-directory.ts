/** The directory that a run leaves: checked before any load, written whole or not at all. */

import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { causeOf, codeOf, diskTroubleOf } from "../contract/text/thrown.ts";
import type { CapacityResult } from "./capacity-model.ts";
import { capacityCurve } from "./capacity-page.ts";
import { renderJunit } from "./junit.ts";
import type { Report } from "./model.ts";
import { ReportDirectoryError } from "./report-directory-error.ts";
import { renderSummary } from "./summary.ts";
import { jsonText } from "./text.ts";

const REPORT_FILES = ["report.json", "junit.xml", "summary.md", "report.html"] as const;
const CAPACITY_FILES = ["capacity.json", "capacity.html"] as const;
/** What the run observed, written while it goes on. */
export const EVIDENCE_FILE = "evidence.jsonl";
/** Its folder with k6's own outputs; every run of k6 has a console there. */
const K6_FOLDER = "k6";
const CONSOLE_SUFFIX = ".console.log";
/** How the name of a draft ends; a run that is killed while it writes leaves one. */
const DRAFT = /\.[0-9a-f-]{36}\.tmp$/;

/**
 * Makes the directory and removes the report of an earlier run from it, so that a run that dies
 * leaves no old verdict behind. Throws ReportDirectoryError where it cannot write.
 */
export async function prepareReportDirectory(directory: string): Promise<void> {
  await prepareDirectory(directory, [...REPORT_FILES, ...CAPACITY_FILES, EVIDENCE_FILE]);
  await forgetK6Outputs(join(directory, K6_FOLDER));
}

/** Makes a directory and removes those files, and drafts of them. Throws ReportDirectoryError. */
export async function prepareDirectory(directory: string, files: readonly string[]): Promise<void> {
  try {
    await makeFolder(directory);
    await tryToWrite(directory);
    const there = await readdir(directory);
    const old = there.filter((name) => files.includes(name.replace(DRAFT, "")));
    for (const name of old) await rm(join(directory, name), { force: true });
  } catch (error) {
    throw new ReportDirectoryError(unwritable(directory, error), { cause: error });
  }
}

/**
 * Makes the folder of a file that is written at the end of a run, and tries whether it can be, so
 * that no run is made for nothing. Throws ReportDirectoryError.
 */
export async function prepareFile(file: string): Promise<void> {
  try {
    await makeFolder(dirname(file));
    await tryToWrite(dirname(file));
  } catch (error) {
    throw new ReportDirectoryError(unwritableFile(file, error), { cause: error });
  }
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) throw new ReportDirectoryError(unwritableFile(file, "EISDIR"));
}

/** By a file of a name of its own: others may try the same folder at the same time. */
async function tryToWrite(folder: string): Promise<void> {
  const trial = join(folder, `.plumbline-${randomUUID()}`);
  await writeFile(trial, "");
  await rm(trial);
}

/** Not by mkdir's own recursion: Node's never returns below /proc, where nothing can be made. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Removes what earlier runs of k6 left, and nothing that somebody else put beside it. */
async function forgetK6Outputs(folder: string): Promise<void> {
  const files = await readdir(folder).catch((): string[] => []);
  const runs = files
    .filter((file) => file.endsWith(CONSOLE_SUFFIX))
    .map((file) => file.slice(0, -CONSOLE_SUFFIX.length));
  const suffixes = ["log", "console.log", "summary.txt", "summary.json"];
  const outputs = runs.flatMap((run) => suffixes.map((suffix) => `${run}.${suffix}`));
  for (const file of outputs) await rm(join(folder, file), { force: true });
}

function unwritable(directory: string, error: unknown): string {
  const what = `cannot write the report directory "${directory}" (${causeOf(error)})`;
  return `${what}; ${diskTroubleOf(error)?.remedy ?? "expected a writable directory"}`;
}

function unwritableFile(file: string, error: unknown): string {
  const expected = diskTroubleOf(error)?.remedy ?? "expected a file in a writable directory";
  return `cannot write "${file}" (${causeOf(error)}); ${expected}`;
}

/**
 * The page comes last: whatever goes wrong with its plots, the verdict is written by then.
 * `interfaceText`: what the page quotes of docs/interface.md.
 */
export async function writeReport(
  directory: string,
  report: Report,
  interfaceText: string,
): Promise<void> {
  const renderers: Readonly<Record<(typeof REPORT_FILES)[number], () => string | Promise<string>>> =
    {
      "report.json": () => jsonText(report),
      "junit.xml": () => renderJunit(report),
      "summary.md": () => renderSummary(report),
      "report.html": () => htmlOf(report, interfaceText),
    };
  for (const file of REPORT_FILES) {
    await replaceFile(join(directory, file), await renderers[file]());
  }
}

/** Loaded when it is needed: a plotting library takes longer to load than all the rest. */
async function htmlOf(report: Report, interfaceText: string): Promise<string> {
  const { renderHtml } = await import("./html/render-html.ts");
  return renderHtml({ runs: [report], interfaceText });
}

/** The page of an unpaced search has no curve, as nothing was offered at a rate. */
export async function writeCapacity(directory: string, result: CapacityResult): Promise<void> {
  const [data, page] = CAPACITY_FILES;
  await replaceFile(join(directory, data), jsonText(result));
  const { renderHtml } = await import("./html/render-html.ts");
  await replaceFile(join(directory, page), renderHtml({ capacities: [capacityCurve(result)] }));
}

/** A reader sees the old file or the new one, never half of it. Throws ReportDirectoryError. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    // What prevented the draft may prevent its removal as well; the first error is the one to tell.
    await rm(draft, { force: true }).catch(() => {});
    throw new ReportDirectoryError(unwritableFile(path, error), { cause: error });
  }
}
