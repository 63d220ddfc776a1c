/**
 * A copy of a part of a request's head, whose characters are bytes. V8 keeps a whole text in memory
 * for as long as a part that was cut from it.
 */
export function keptText(part: string): string {
  return Buffer.from(part, "latin1").toString("latin1");
}

/** No more than the beginning. A header's value is a text of its own: whole, it needs no copy. */
export function beginningOf(value: string, charsMax: number): string {
  return value.length <= charsMax ? value : keptText(value.slice(0, charsMax));
}
