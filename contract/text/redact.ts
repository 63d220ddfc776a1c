/** Keeps secrets out of every output: one function that blanks them wherever they stand. */

import { REDACTED, type Secret, secretsWithin } from "./secret.ts";

/**
 * A function that replaces each of the given secrets in a text, whoever has spelled it: as it is,
 * escaped for JSON, for a URL or for HTML, once or several times; and in base64, alone or within
 * something longer. What a cut has left of one, its beginning before the mark or its end after it,
 * is replaced as well. Empty secrets are ignored; longer ones go first, so that a secret that
 * contains another leaves no rest behind.
 */
export function redactor(secrets: Iterable<Secret>): (text: string) => string {
  const plain = [...secrets].map((each) => each.reveal()).flatMap(partsOf);
  const forms = new Set(plain.flatMap((secret) => [secret, ...base64Forms(secret)]));
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  const searches = ordered.map(searchOf);
  return (text) => {
    const isCut = text.includes("…") || text.includes("...") || ESCAPED_MARK.test(text);
    return searches.reduce((rest, search) => blanked(rest, search, isCut), text);
  };
}

/** Ours: a shorter word stands in other text as well. */
const PART_CHARS_MIN = 8;

function partsOf(secret: string): readonly string[] {
  const parts = secretsWithin(secret).filter((part) => part.length >= PART_CHARS_MIN);
  return secret === "" ? [] : [...new Set([secret, ...parts])];
}

interface Search {
  /** A part of it that every spelling leaves as it is. */
  anchor: string;
  whole: RegExp;
  /** What a cut may leave of it before its mark and, with the mark, after it. */
  cut: { before: RegExp; after: RegExp } | null;
}

function blanked(text: string, { anchor, whole, cut }: Search, isCut: boolean): string {
  const rest = text.includes(anchor) ? text.replace(whole, REDACTED) : text;
  if (!isCut || cut === null) return rest;
  return rest.replace(cut.before, REDACTED).replace(cut.after, `$1${REDACTED}`);
}

function searchOf(secret: string): Search {
  const spellings = [...secret].map(spellingsOf);
  return {
    anchor: anchorOf(secret),
    whole: new RegExp(spellings.join(""), "gu"),
    cut: cutOf(spellings),
  };
}

/** Its longest run of letters and digits. */
function anchorOf(secret: string): string {
  const runs = secret.match(/[a-zA-Z0-9]+/g) ?? [""];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

/** Names of HTML, which a writer of JSON or of pages may use. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** Short escapes of JSON. RFC 8259 §7. */
const SHORT: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
};

/** A pattern of how a character may be written; letters and digits are written as they are. */
function spellingsOf(char: string): string {
  if (/[a-zA-Z0-9]/.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const short = SHORT[char];
  const entity = ENTITIES[char];
  const isEscaped = char === "\\" || char === '"' || char === "/";
  return `(?:${[
    // A text within a text within a text has twice the backslashes each time.
    `${isEscaped ? "\\\\*" : ""}${literal(char)}`,
    ...(char === "\\" ? ["\\\\+"] : []),
    ...(short === undefined ? [] : [`\\\\+${short}`]),
    [...unitsOf(char)].map((unit) => `\\\\+u${inHex(unit, 4)}`).join(""),
    [...new TextEncoder().encode(char)].map((byte) => `%(?:25)*${inHex(byte, 2)}`).join(""),
    `&(?:amp;)*#(?:0*${code}|[xX]0*${inHex(code, 0)});`,
    ...(entity === undefined ? [] : [`&(?:amp;)*${entity};`]),
    ...(char === " " ? ["\\+"] : []),
  ].join("|")})`;
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

function unitsOf(char: string): readonly number[] {
  return Array.from({ length: char.length }, (_, at) => char.charCodeAt(at));
}

/** A pattern of the number in either case, with so many digits at least. */
function inHex(number: number, digits: number): string {
  const hex = number.toString(16).padStart(digits, "0");
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** How this suite marks a cut, in JSON as well. */
const MARK = String.raw`(?:…|\.\.\.|\\+u2026)`;
const ESCAPED_MARK = /\\u2026/;

/** Ours: fewer characters stand before a mark by chance, and tell nothing. */
const CUT_CHARS_MIN = 4;

/** What a cut within an escape leaves of it, and what the text's own quotes add. */
const SPLIT = String.raw`(?:%[0-9a-fA-F]?|\\+(?:u[0-9a-fA-F]{0,3})?|&[#\w]{0,7})?`;
const AFTER_SPLIT = "(?:[0-9a-fA-F]{0,4};?)?";

/** Its beginning before a mark, as long as it goes; and its end after one. */
function cutOf(spellings: readonly string[]): Search["cut"] {
  if (spellings.length <= CUT_CHARS_MIN) return null;
  const begins = nested(spellings, (rest, each) => `(?:${each}${rest})?`);
  const ends = nested(spellings.toReversed(), (rest, each) => `(?:${rest}${each})?`);
  const first = spellings.slice(0, CUT_CHARS_MIN).join("");
  const last = spellings.slice(-CUT_CHARS_MIN).join("");
  return {
    before: new RegExp(`${first}${begins}${SPLIT}(?="?${MARK})`, "gu"),
    after: new RegExp(`(${MARK})${AFTER_SPLIT}${ends}${last}`, "gu"),
  };
}

/** Of the spellings after the least ones, each alone if the one before is there. */
function nested(
  spellings: readonly string[],
  within: (rest: string, each: string) => string,
): string {
  return spellings.slice(CUT_CHARS_MIN).reduceRight(within, "");
}

/** Ours: what is shorter stands in texts by chance as well. */
const BASE64_CHARS_MIN = 16;
const BYTE_BITS = 8;
const CHAR_BITS = 6;

/**
 * The characters of base64 and base64url that hold nothing but the secret, at each of the three
 * offsets that it may have in what is encoded. RFC 4648 §4, §5.
 */
function base64Forms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((offset) => {
    const whole = btoa("\0".repeat(offset) + String.fromCharCode(...bytes));
    const from = Math.ceil((offset * BYTE_BITS) / CHAR_BITS);
    const to = Math.floor(((offset + bytes.length) * BYTE_BITS) / CHAR_BITS);
    const form = whole.slice(from, to);
    if (form.length < BASE64_CHARS_MIN) return [];
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
