/** How a message about an address repeats it. */

/** A space and the text in quotes; nothing where it could hold a password or a token. */
export function shownAddress(text: string): string {
  return /[@?#]/.test(text) ? "" : ` "${text}"`;
}
