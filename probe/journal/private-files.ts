/**
 * Keeps the journal from other users of the machine: it holds tokens of webhooks and outputs of
 * jobs. Modes are set, not only asked for, so that they don't hang on the umask.
 */

import {
  chmodSync,
  closeSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** What group and others may do. */
const OTHERS = 0o077;

/** SQLite gives the log beside it the same mode. Source: sqlite.org, `findCreateFileMode`. */
export function makePrivateFile(path: string): void {
  const file = openSync(path, "wx", FILE_MODE);
  fchmodSync(file, FILE_MODE);
  closeSync(file);
}

export function makePrivateFolder(path: string): void {
  mkdirSync(path, FOLDER_MODE);
  chmodSync(path, FOLDER_MODE);
}

/**
 * Closes the journal's folder and all of its files, logs and set-aside ones among them, to others;
 * gives back a sentence for each that was open. A folder that holds other things as well is left.
 */
export function tighten(journal: string): readonly string[] {
  // Windows has no such modes: there each file would seem to be open for ever.
  if (process.platform === "win32") return [];
  const folder = dirname(journal);
  const names = readdirSync(folder);
  const own = names.filter((name) => name.startsWith(basename(journal)));
  const isOwn = own.length === names.length;
  return [
    ...(isOwn ? [tightened(folder, FOLDER_MODE)] : []),
    ...own.map((name) => tightened(join(folder, name), FILE_MODE)),
  ].filter((said) => said !== null);
}

function tightened(path: string, mode: number): string | null {
  const before = statSync(path).mode & 0o777;
  if ((before & OTHERS) === 0) return null;
  const was = `${path} was open to other users (mode ${octal(before)})`;
  try {
    chmodSync(path, mode);
    return `${was}; it is ${octal(mode)} now`;
  } catch (error) {
    // A volume may belong to another user: the probe can do its work all the same.
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return `${was} and still is (${why}); expected mode ${octal(mode)}, set by its owner`;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
