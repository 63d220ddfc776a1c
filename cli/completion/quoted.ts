/** A word of a shell, whatever is in it. */

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
