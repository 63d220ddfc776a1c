/** Where this package lies: the checkout, or the folder that it was installed to. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const ROOT = packageRoot();

/** The nearest folder above this file with a package.json; compiled code lies one level deeper. */
function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** The version that package.json states. */
export function packageVersion(): string {
  const text = readFileSync(path.join(ROOT, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
