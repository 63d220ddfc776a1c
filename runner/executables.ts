/** Programs on this machine: where they may be, and whether a file is one. */

import { createHash } from "node:crypto";
import { access, constants, readFile } from "node:fs/promises";
import path from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a program of that name would be, folder by folder of PATH. */
export function onPath(name: string, env: Environment): string[] {
  const folders = (env.PATH ?? env.Path ?? "").split(path.delimiter).filter(path.isAbsolute);
  return folders.map((folder) => path.join(folder, executableName(name)));
}

export function executableName(name: string): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

export async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Names what a module in Go is built from: another go.sum is another binary. */
export async function goSumHash(moduleDir: string): Promise<string> {
  const sum = await readFile(path.join(moduleDir, "go.sum"));
  return createHash("sha256").update(sum).digest("hex").slice(0, 12);
}
