/** Finds an identifier in a text of any shape. */

const PART_OF_IDENTIFIER = /[A-Za-z0-9_-]/;

/** Whether the text has the identifier as a whole: "job_10" is not in "job_100". */
export function mentions(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const around = [text[at - 1], text[at + id.length]];
    if (around.every((char) => char === undefined || !PART_OF_IDENTIFIER.test(char))) return true;
  }
  return false;
}
