/** Marks in the inputs of jobs: by them a result, or a job that nobody accepted, is recognised. */

import type { WorkerPart } from "../run/run-plan.ts";
import type { Json } from "../verdict.ts";

/** Characters of chance in a mark. */
export const MARK_CHARS = 16;

/** A run of the probe's is named by a UUID. RFC 9562 §4. */
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const MARK = new RegExp(`\\bplumbline-(?:[A-Za-z0-9]{${MARK_CHARS}}|${UUID})\\b`, "g");

/**
 * Characters of two, three and four bytes in UTF-8. The brackets show whether all of it came back.
 * Ours: two of the characters are in Latin-1, and one of them has a second normal form.
 */
const BEYOND_ASCII = "[øéж東😀]";

/**
 * Follows a mark where its field takes more than ASCII. What is escaped for HTML shows by the last
 * character; `<` would as well, and a firewall may refuse it.
 */
export const MARK_TAIL = `${BEYOND_ASCII}&`;

/** Begins an escape of a character beyond ASCII: in JSON within a text, in HTML, in a URL. */
const ESCAPE = /[\\&%]/;

/** A long text repeats this after the tail: 24 bytes, and 16 characters. */
const LONG_UNIT = `plumbline${BEYOND_ASCII}`;

/**
 * Most bytes that follow the mark of a long text. Ours: more than a kilobyte of characters, at
 * which stores and gateways cut, and too few for a body to be refused for its size.
 */
export const LONG_TEXT_BYTES = 1_900;

const LONG_UNITS = 77;

/**
 * The units of long texts begin at several offsets: a limit in bytes that falls between two
 * characters of one text breaks a character of another. Ours: in steps of two bytes through the
 * unit, of which three or more break one, wherever the limit is.
 */
const OFFSETS = 12;
const OFFSET_STEP = 2;

/** Ours: one mark in six, by its last character. */
const LONG_MARK = /[06CIOUagmsy]$/;

/** Ours: workers often shorten a quotation to a headline or a paragraph, seldom to a page. */
const CUT_CHARS_MIN = 512;

export function markOf(token: string): string {
  return `plumbline-${token}`;
}

/** The part's input with the mark in its text field; unchanged where the part names no field. */
export function markedInput(part: WorkerPart, mark: string): Record<string, Json> {
  const { input, marker, markTail } = part;
  if (marker === undefined) return { ...input };
  return { ...input, [marker]: markTail ? `${mark}${MARK_TAIL}` : mark };
}

/** The same mark, as one with which a text may be long. */
export function longMarkOf(mark: string): string {
  return `${mark.slice(0, -1)}0`;
}

/**
 * The same, with a long text for one mark in six. Only for single jobs: a worker may refuse or fail
 * long texts though its schema allows them, and must not do so with part of a load.
 */
export function mayBeLongInput(part: WorkerPart, mark: string): Record<string, Json> {
  const { input, marker, markLong } = part;
  const isLong = marker !== undefined && markLong === true && LONG_MARK.test(mark);
  return isLong ? { ...input, [marker]: longText(mark) } : markedInput(part, mark);
}

/** The mark with its tail, and about 1,250 characters more. */
export function longText(mark: string): string {
  const offset = (mark.charCodeAt(mark.length - 2) % OFFSETS) * OFFSET_STEP;
  return `${mark}${MARK_TAIL}${"-".repeat(offset)}${LONG_UNIT.repeat(LONG_UNITS)}`;
}

/** How a long text came back, and how many of its characters did. */
export interface LongReturned {
  /**
   * Cut: it ends between two characters; an excerpt does so early. Broken: the next character is
   * not whole.
   */
  how: "whole" | "cut" | "excerpt" | "broken";
  chars: number;
}

/** null where so little came back, or other text in between, that a worker may have chosen it. */
export function longReturned(value: unknown, mark: string): LongReturned | null {
  const long = longText(mark);
  const texts = textsIn(value).texts.filter((text) => text.includes(mark));
  if (texts.some((text) => text.includes(long))) return { how: "whole", chars: charCount(long) };
  const found = texts.flatMap((text) => endOf(text, mark, long) ?? []);
  const byHow = (how: LongReturned["how"]) => found.find((each) => each.how === how);
  return byHow("broken") ?? byHow("cut") ?? byHow("excerpt") ?? null;
}

/** How one text of a result ends that begins as the long one; null where a worker may choose so. */
function endOf(text: string, mark: string, long: string): LongReturned | null {
  const tailed = mark.length + charCount(MARK_TAIL);
  const returned = text.slice(text.indexOf(mark));
  const common = commonStart(returned, long);
  const rest = returned.slice(common.length);
  const chars = charCount(common);
  const isLong = chars >= CUT_CHARS_MIN;
  if (rest === "") return chars < tailed ? null : { how: isLong ? "cut" : "excerpt", chars };
  const isBroken = END_OF_CUT.test(rest) ? isLong : BROKEN_CHAR.test(rest);
  return isBroken && chars > tailed ? { how: "broken", chars } : null;
}

/** A decoder's replacement for part of a character, or half of a surrogate pair. */
const BROKEN_CHAR = /^[\ufffd\ud800-\udfff]/;
/** A text ends in at most this where its last character was cut. */
const END_OF_CUT = /^[\ufffd\ud800-\udfff]{0,3}$/;
const HALF_PAIR = /[\ud800-\udbff]$/;

/** What both begin with, in whole characters. */
function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a.slice(0, at).replace(HALF_PAIR, "");
}

/** Characters as people count them: code points, not UTF-16 units. */
function charCount(text: string): number {
  return [...text].length;
}

/**
 * The mark with the tail that came back. Folded: in ASCII, without a sign for what was lost, or
 * with its accents apart or left out. Escaped: as HTML, JSON or a URL spell some of it. Cut: the
 * text ends between two of its characters.
 */
export interface ReturnedTail {
  how: "whole" | "folded" | "escaped" | "changed" | "cut";
  came: string;
}

/** null where it came back as a worker may choose: without brackets, or with a text of its own. */
export function returnedTail(value: unknown, mark: string): ReturnedTail | null {
  const sent = `${mark}${BEYOND_ASCII}`;
  const tails = textsIn(value).texts.flatMap((text) => {
    const [, ...quotations] = text.split(`${mark}[`);
    return quotations.flatMap((rest) => tailIn(`${mark}[${rest}`, sent) ?? []);
  });
  // One text may quote the input as it is, and another one escape it.
  const byHow = (...hows: readonly ReturnedTail["how"][]) =>
    tails.find(({ how }) => hows.includes(how));
  return byHow("whole") ?? byHow("folded", "changed") ?? byHow("escaped") ?? byHow("cut") ?? null;
}

/** `text`: from the mark on. */
function tailIn(text: string, sent: string): ReturnedTail | null {
  const end = text.indexOf("]") + 1;
  if (end === 0) return sent.startsWith(text) ? { how: "cut", came: text } : null;
  const came = text.slice(0, end);
  if (ESCAPE.test(came)) return { how: "escaped", came };
  if (came === sent) {
    const escaped = ESCAPED_AMPERSAND.exec(text.slice(end))?.[0];
    return escaped === undefined
      ? { how: "whole", came }
      : { how: "escaped", came: came + escaped };
  }
  const isFolded = FOLDED.test(came) || accentless(came) === accentless(sent);
  return { how: isFolded ? "folded" : "changed", came };
}

/** Whether it ends where a store of ASCII, or of no more than three bytes a character, cuts it. */
export function endsBeforeWide({ came }: ReturnedTail): boolean {
  return WIDE.some((char) => came.endsWith(BEYOND_ASCII.slice(0, BEYOND_ASCII.indexOf(char))));
}

/** The first character beyond ASCII, and the first of four bytes in UTF-8. */
const WIDE = ["ø", "😀"];

/** By name or number in HTML, in JSON within a text, and in a URL. */
const ESCAPED_AMPERSAND = /^(?:&(?:amp|#0*38|#x0*26);|\\u0026|%26)/i;

/** Encoders write a question mark for what they can't. */
const FOLDED = /^[ ->@-~]*$/;
const ACCENTS = /[\u0300-\u036f]/g;

function accentless(text: string): string {
  return text.normalize("NFD").replace(ACCENTS, "");
}

/** Names and texts at any depth. No recursion and no copies: a result may be deep and long. */
function textsIn(value: unknown): { names: readonly string[]; texts: readonly string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === "string") texts.push(each);
    if (typeof each !== "object" || each === null) continue;
    for (const [name, inner] of Object.entries(each)) {
      if (!Array.isArray(each)) names.push(name);
      left.push(inner);
    }
  }
  return { names, texts };
}

/** Every mark in a value's texts and in the names of its members, each once. */
export function marksWithin(value: unknown): readonly string[] {
  const { names, texts } = textsIn(value);
  return [...new Set([...names, ...texts].flatMap(marksIn))];
}

/** Every mark in a text of any shape, each once. */
export function marksIn(text: string): readonly string[] {
  return [...new Set(text.match(MARK) ?? [])];
}
