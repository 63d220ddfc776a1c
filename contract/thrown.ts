/** What can be told of something that was thrown, whatever it is. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** In a word, where the system has one for it. */
export function causeOf(error: unknown): string {
  return codeOf(error) ?? String(error);
}

/** The code of an error of the system, such as `ENOENT`; null of anything else. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
