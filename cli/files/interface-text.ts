/** The interface that is judged, as the package has it beside its code. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { ROOT } from "../../runner/package-root.ts";

/** Empty where the package was stripped of its documents: a report is written without them, too. */
export async function interfaceText(): Promise<string> {
  const file = path.join(ROOT, "docs", "interface.md");
  return await readFile(file, "utf8").catch(() => "");
}
