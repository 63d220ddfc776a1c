/**
 * A copy of a part of a request's head, whose characters are bytes. V8 keeps a whole text in memory
 * for as long as a part that was cut from it.
 */
export function keptText(part: string): string {
  return Buffer.from(part, "latin1").toString("latin1");
}
