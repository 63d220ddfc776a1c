/** Keeps what a run of k6 or Node wrote, with every secret blanked first. */

import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ofFile } from "../contract/text/thrown.ts";

/** Ours: the report directory is for people; a console longer than that is cut. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Writes NAME.console.log (evidence and all else that the scenario printed), NAME.log (k6's own
 * log), NAME.summary.txt and, where k6 came so far, NAME.summary.json.
 */
export async function keepOutputs(
  outputDir: string,
  name: string,
  files: { console: string; summary: string },
  texts: { log: string; summary: string },
  redact: (text: string) => string,
): Promise<void> {
  await mkdir(outputDir, { recursive: true });
  const keep = (suffix: string, text: string) => {
    const file = path.join(outputDir, `${name}.${suffix}`);
    return writeFile(file, redact(text)).catch(ofFile(file));
  };
  await keep("console.log", await readBeginning(files.console));
  await keep("log", texts.log);
  await keep("summary.txt", texts.summary);
  const summary = await readFile(files.summary, "utf8").catch(() => null);
  if (summary !== null) await keep("summary.json", summary);
}

async function readBeginning(file: string): Promise<string> {
  const handle = await open(file, "r").catch(() => null);
  if (handle === null) return "";
  try {
    const buffer = Buffer.alloc(Math.min(KEPT_BYTES_MAX, (await handle.stat()).size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
