/** The folder in which processes of one load leave their evidence, and how it is read. */

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../../contract/text/thrown.ts";
import { EVIDENCE_SCHEMA_VERSION } from "../../gate/recording.ts";
import type { ProcessRecords, SharedLoad } from "../../gate/shared-load.ts";
import { EvidenceReader } from "../../runner/evidence-reader.ts";
import { UsageError } from "../usage-error.ts";

/** Says what was run: `SharedLoad` as JSON. */
export const LOAD_FILE = "load.json";
/** Of k6's consoles, one a process. */
const CONSOLE_SUFFIX = ".log";

/** Null where it is not there (yet). Throws UsageError where it is another version's. */
export async function readLoad(folder: string): Promise<SharedLoad | null> {
  const file = path.join(folder, LOAD_FILE);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw unreadable(file, codeOf(error) ?? "unreadable");
  });
  if (text === null) return null;
  const { head, scenario } = loadIn(file, text);
  const isWhole = Array.isArray(head?.plan?.keys) && Array.isArray(scenario?.promises);
  if (head?.schemaVersion !== EVIDENCE_SCHEMA_VERSION || scenario === undefined || !isWhole) {
    throw unreadable(file, "it is of another version, or not whole");
  }
  return { head, scenario };
}

function loadIn(file: string, text: string): Partial<SharedLoad> {
  try {
    return (JSON.parse(text) as Partial<SharedLoad> | null) ?? {};
  } catch {
    throw unreadable(file, "it is no JSON");
  }
}

/** What each process has left so far, without secrets. */
export async function readProcesses(
  folder: string,
  redact: (text: string) => string,
): Promise<readonly ProcessRecords[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(CONSOLE_SUFFIX)).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), "utf8")));
  return texts.map((text) => {
    const reader = new EvidenceReader(redact, () => {});
    for (const line of text.split("\n")) reader.readLine(line);
    return reader;
  });
}

export function unreadable(file: string, why: string): UsageError {
  const expected = "expected the folder that the pods of `plumbline k8s testrun` write to";
  return new UsageError("unreadable-file", [`cannot read "${file}" (${why}); ${expected}`]);
}
