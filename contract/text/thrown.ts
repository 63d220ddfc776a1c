/** What can be told of something that was thrown, whatever it is. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the system says of a disk that takes nothing more, and what helps. errno(3). */
const DISK = {
  ENOSPC: ["no space left on the device", "make room on it, or choose another folder"],
  EDQUOT: ["disk quota exceeded", "make room within it, or choose another folder"],
  EFBIG: ["file too large", "raise the limit of the size of files (ulimit -f)"],
  EROFS: ["read-only file system", "choose a folder that can be written to"],
} as const;

/** In a word, where the system has one for it; of a disk that takes nothing more in some words. */
export function causeOf(error: unknown): string {
  const told = diskTroubleOf(error);
  return told?.cause ?? codeOf(error) ?? String(error);
}

/** Null for anything but an error of a disk that takes nothing more. */
export function diskTroubleOf(error: unknown): { cause: string; remedy: string } | null {
  const code = codeOf(error);
  if (code === null || !Object.hasOwn(DISK, code)) return null;
  const [what, remedy] = DISK[code as keyof typeof DISK];
  return { cause: `${code}: ${what}`, remedy };
}

/** Too many files are open: errno(3), and what the receiver's thread says of it. */
const DESCRIPTORS_OUT: readonly (string | null)[] = ["EMFILE", "ENFILE", "no-descriptors"];

/** The error, or what caused it, that tells that no file descriptor is left; null of any other. */
export function lackOfDescriptors(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  return DESCRIPTORS_OUT.includes(codeOf(error)) ? error : lackOfDescriptors(error.cause);
}

/** Throws the error again; an error of writing to an open file then names the file as well. */
export function ofFile(path: string): (error: unknown) => never {
  return (error) => {
    if (codeOf(error) !== null && pathOf(error) === null) Object.assign(error as Error, { path });
    throw error;
  };
}

/** The file that an error of the system is about; null where it names none. */
export function pathOf(error: unknown): string | null {
  return error instanceof Error && "path" in error ? String(error.path) : null;
}

/** The code of an error of the system, such as `ENOENT`; null of anything else. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
