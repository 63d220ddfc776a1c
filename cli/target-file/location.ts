/** Finds the line and column in a YAML text at which a path of the parsed value stands. */

import type { Document, LineCounter, Node } from "yaml";
import { isCollection, isMap, isScalar } from "yaml";

export type Path = readonly (string | number)[];

/** One thing wrong with a target file, and where; `unknownName` points at a name, not a value. */
export interface FileProblem {
  path: Path;
  message: string;
  unknownName?: string;
}

export interface Place {
  line: number;
  column: number;
}

/** The place of a value, or of the closest thing around it where the value is missing. */
export function placeOf(document: Document, lines: LineCounter, path: Path): Place {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(document, path.slice(0, length));
    if (node?.range) return place(lines, node.range[0]);
  }
  return { line: 1, column: 1 };
}

/** The place of a name inside the mapping at `path`. */
export function placeOfName(
  document: Document,
  lines: LineCounter,
  path: Path,
  name: string,
): Place {
  const node = nodeAt(document, path);
  if (!isMap(node)) return placeOf(document, lines, path);
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  const range = isScalar(pair?.key) ? pair.key.range : null;
  return range ? place(lines, range[0]) : placeOf(document, lines, path);
}

function nodeAt(document: Document, path: Path): Node | null {
  let node: unknown = document.contents;
  for (const step of path) {
    if (!isCollection(node)) return null;
    node = node.get(step, true);
  }
  return (node ?? null) as Node | null;
}

function place(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** `keys[1].plan`, as a person writes it. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
}
