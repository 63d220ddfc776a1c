/**
 * Keeps the journal from other users of the machine: it holds tokens of webhooks and outputs of
 * jobs. Modes are set, not only asked for, so that they don't hang on the umask.
 */

import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { causeOf } from "../../contract/text/thrown.ts";

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
 * gives back a sentence for each that was open. A folder that holds other things as well is left,
 * and told of.
 */
export function tighten(journal: string): readonly string[] {
  // Windows has no such modes: there each file would seem to be open for ever.
  if (process.platform === "win32") return [];
  const folder = dirname(journal);
  const names = readdirSync(folder);
  const own = names.filter((name) => name.startsWith(basename(journal)));
  const isOwn = own.length === names.length;
  return [
    isOwn ? tightened(folder, FOLDER_MODE) : leftOpen(folder),
    ...own.map((name) => tightened(join(folder, name), FILE_MODE)),
  ].filter((said) => said !== null);
}

function tightened(path: string, mode: number): string | null {
  const before = openMode(path);
  if (before === null) return null;
  const was = `${path} was open to other users (mode ${octal(before)})`;
  try {
    chmodSync(path, mode);
    return `${was}; it is ${octal(mode)} now`;
  } catch (error) {
    // A volume may belong to another user: the probe can do its work all the same.
    const why = causeOf(error);
    return `${was} and still is (${why}); expected mode ${octal(mode)}, set by its owner`;
  }
}

/** In a folder that others may list, the names of its files are seen; in one they write, more. */
function leftOpen(folder: string): string | null {
  const mode = openMode(folder);
  if (mode === null) return null;
  const is = `${folder} is open to other users (mode ${octal(mode)})`;
  const expected = `expected a folder of the probe's own, mode ${octal(FOLDER_MODE)}`;
  return `${is} and was left so, as it holds other things; ${expected}`;
}

/** Null where it is closed to others, is no more, or is a link: what it leads to is another's. */
function openMode(path: string): number | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const mode = found?.isSymbolicLink() ? 0 : (found?.mode ?? 0) & 0o777;
  return (mode & OTHERS) === 0 ? null : mode;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
