/**
 * A text that a pattern matches, for patterns that describe codes, dates and numbers: characters,
 * classes of them, groups and counts. Of choices the first is taken, of counts the least. What
 * comes out is to be tried with the pattern: null, or no match, where it has more than that.
 */
export function matchingText(pattern: string): string | null {
  const parts = TOKENS.exec(pattern.replace(/^\^/, "").replace(/\$$/, ""));
  return parts === null ? null : joined(parts[0].match(TOKEN) ?? []);
}

const CHARACTER = String.raw`\[\^?\]?(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|[^\\[\](){}*+?]`;
const ATOM = String.raw`${CHARACTER}|\((?:\?(?::|<\w+>)|(?!\?))|\)`;
const COUNT = String.raw`\{\d+(?:,\d*)?\}\??|[*+?]\??`;
const TOKEN = new RegExp(`(?:${ATOM})(?:${COUNT})?`, "gu");
const TOKENS = new RegExp(`^(?:(?:${ATOM})(?:${COUNT})?)*$`, "u");
const PARTS = new RegExp(`^(${ATOM})(${COUNT})?$`, "u");

interface Group {
  text: string;
  /** What comes after the first of several choices is passed over. */
  isOver: boolean;
}

function joined(tokens: readonly string[]): string | null {
  const open: Group[] = [{ text: "", isOver: false }];
  for (const token of tokens) {
    const [, atom = "", count = ""] = PARTS.exec(token) ?? [];
    const group = open.at(-1);
    if (group === undefined) return null;
    if (atom.startsWith("(")) {
      open.push({ text: "", isOver: false });
    } else if (atom === ")") {
      open.pop();
      add(open.at(-1), group.text, count);
    } else if (atom === "|") {
      group.isOver = true;
    } else {
      const char = charOf(atom);
      if (char === null) return null;
      add(group, char, count);
    }
  }
  return open.length === 1 ? (open[0]?.text ?? null) : null;
}

function add(group: Group | undefined, text: string, count: string): void {
  if (group !== undefined && !group.isOver) group.text += text.repeat(leastOf(count));
}

function leastOf(count: string): number {
  if (count === "" || count.startsWith("+")) return 1;
  return Number(/\d+/.exec(count)?.[0] ?? 0);
}

/** A character of that class, or the one that is meant. */
function charOf(atom: string): string | null {
  if (atom.length === 1 && atom !== ".") return atom;
  try {
    const expression = new RegExp(`^${atom}$`, "u");
    return [..."x0Z-", ...atom].find((char) => expression.test(char)) ?? null;
  } catch {
    return null;
  }
}
