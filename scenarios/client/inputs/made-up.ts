/** Identifiers that look like issued ones and that nobody was issued. */

import type { Random } from "../../world/random.ts";

/** Ours: too many to be hit by chance, and short enough for any reasonable limit. */
const WORKER_TOKEN_LENGTH = 16;
const JOB_TOKEN_LENGTH = 24;

/** Words, as worker identifiers are; or what has the form of another one, as of a UUID. §2.2. */
export function madeUpWorkerId(random: Random, known: string | null = null): string {
  return known === null || WORDS.test(known)
    ? `no-such-${letters(random, WORKER_TOKEN_LENGTH)}`
    : madeUpLike(random, known, FEW_TEXTS_MIN);
}

/** A slug that says what the worker is; others may have a form that a router looks at. */
const WORDS = /^[a-z]+(-[a-z]+)*$/i;

/** Without digits, which not every slug may have. */
function letters(random: Random, length: number): string {
  return Array.from({ length }, () => likeCharacter(random, "x", false)).join("");
}

/** A prefix that ends in a separator, as in "job_"; job identifiers are "prefixed text". §2.4. */
const PREFIX = /^[A-Za-z]+[_-]/;

/** A number, after such a prefix or alone. */
const NUMBER = /^([A-Za-z]+[_-])?[0-9]+$/;
const DIGITS = /^[0-9]+$/;

/** Ours: shorter ones may be counted up from 1, so that others of their length are issued, too. */
const SHORT = 16;
/** Ours: of letters and digits, or digits alone, which may have to fit into 32 bits. */
const TEXT_LENGTH_MIN = 7;
const NUMBER_LENGTH_MIN = 9;
/** Ours: of so many texts a marketplace of hundreds of workers has hardly one by chance. */
const FEW_TEXTS_MIN = 500_000;
/** Ours: what stands before may be a time, a version or a place, which a router knows. */
const CHANGED_CHARS = 12;

/**
 * In the format of an issued identifier, where one is known: the end of its longest stretch of
 * letters and digits is made of others that stand there. Where that is so short that many are
 * issued: longer, each letter and digit but one letter in front changed for one of its kind.
 */
export function madeUpJobId(random: Random, issued: string | null): string {
  if (issued === null) return `job_${random.token(JOB_TOKEN_LENGTH)}`;
  return madeUpLike(random, issued, Number.POSITIVE_INFINITY);
}

/** Where there are fewer texts of its form than that, those that are made are longer. */
function madeUpLike(random: Random, issued: string, textsMin: number): string {
  const prefix = PREFIX.exec(issued)?.[0] ?? "";
  const rest = issued.slice(prefix.length);
  if (/^[0-9]+$/.test(rest) && rest.length < SHORT) return prefix + madeUpNumber(random, rest);
  return prefix + likeText(random, rest, textsMin);
}

function likeText(random: Random, text: string, textsMin: number): string {
  const [longest = ""] = (text.match(/[0-9A-Za-z]+/g) ?? []).sort((a, b) => b.length - a.length);
  const isVaried = new Set(longest).size >= CHANGED_CHARS / 2;
  if (longest.length >= CHANGED_CHARS && isVaried) {
    const at = text.indexOf(longest) + longest.length;
    return text.slice(0, at - CHANGED_CHARS) + remade(random, longest) + text.slice(at);
  }
  const isHex = /^[0-9a-f-]+$/i.test(text);
  const isMany = textsLike(text, isHex) >= textsMin;
  const like = isMany ? text : text.padEnd(TEXT_LENGTH_MIN, text);
  const front = /^[A-Za-z]/.exec(like)?.[0] ?? "";
  const rest = [...like.slice(front.length)];
  return front + rest.map((char) => likeCharacter(random, char, isHex)).join("");
}

/**
 * How many texts have letters and digits where it has them, but for a letter in front; of hex
 * digits each place may have any.
 */
function textsLike(text: string, isHex: boolean): number {
  const changed = text.replace(/^[A-Za-z]/, "");
  const isMixed = isHex && /[a-f]/i.test(changed);
  const kinds = [...changed].map((char) => {
    if (!/[0-9A-Za-z]/.test(char)) return 1;
    if (isMixed) return 16;
    return /[0-9]/.test(char) ? 10 : 26;
  });
  return kinds.reduce<number>((product, kind) => product * kind, 1);
}

/** The stretch's end, of characters from anywhere in it: so of its alphabet, whatever that is. */
function remade(random: Random, stretch: string): string {
  return [...stretch.slice(-CHANGED_CHARS)]
    .map((char) => {
      const others = [...stretch].filter((each) => kindOf(each) === kindOf(char));
      return pickOf(random, others);
    })
    .join("");
}

/** A letter or a digit, which forms may tell apart place by place. */
function kindOf(char: string): "digit" | "upper" | "lower" {
  if (/[0-9]/.test(char)) return "digit";
  return /[A-Z]/.test(char) ? "upper" : "lower";
}

/** Far above what was counted so far. */
function madeUpNumber(random: Random, issued: string): string {
  const length = Math.max(NUMBER_LENGTH_MIN, issued.length + (issued.startsWith("9") ? 1 : 0));
  const digits = Array.from({ length: length - 1 }, () => likeCharacter(random, "0", true));
  return `9${digits.join("")}`;
}

function likeCharacter(random: Random, char: string, isHex: boolean): string {
  const pick = (from: string) => from[Math.floor(random.next() * from.length)] ?? char;
  if (/[0-9]/.test(char)) return pick("0123456789");
  if (/[a-z]/.test(char)) return pick(isHex ? "abcdef" : "abcdefghijklmnopqrstuvwxyz");
  if (/[A-Z]/.test(char)) return pick(isHex ? "ABCDEF" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return char;
}

/** An identifier that nobody was issued, and what may be answered beside 404. */
export interface UnknownId {
  what: string;
  id: string;
  lawful: readonly number[];
  /** It is so like a known one that it may be another's: "resize-image" beside "resize-images". */
  mayBeIssued?: true;
}

/** What a router may answer to an identifier that has not the form of an issued one. */
const ILL_FORMED: readonly number[] = [400, 403, 405, 410, 414, 422];
/** A gateway may lead from odd letters to those that it calls proper. RFC 9110 §15.4. */
const ODDLY_SPELT: readonly number[] = [301, 308, ...ILL_FORMED];

/** Ours: a mosaic of fewer places might be another issued identifier. */
const PLACES_MIN = 10;
/** Ours: longer than any identifier, and short enough for any limit of an address. */
const LONG = 300;
/** More digits than a number of 64 bits has. */
const DIGITS_TOO_MANY = 20;

/**
 * What looks a text up in an object of JavaScript finds a property that each has: a worker, a job,
 * a key or a choice that nobody made. ECMA-262 §20.1.3.1.
 */
export const EVERY_OBJECT_HAS = "constructor";

/** Of jobs: as they are issued, by one character off, and such as no service issues. */
export function unknownJobIds(random: Random, issued: readonly string[]): readonly UnknownId[] {
  const [first = null] = issued;
  const made = [0, 1, 2].map(() => mosaicOf(random, issued) ?? madeUpJobId(random, first));
  const off = [0, 1].flatMap(() => oneOff(random, issued) ?? []);
  const fresh = (id: string) => !issued.includes(id);
  const strict = [
    ...made.map((id) => ({ what: "an unknown job", id, lawful: [] })),
    ...off.map((id) => ({ what: "a job's identifier, one character off,", id, lawful: [] })),
  ];
  const odd = oddIds(random, off.length === 0 ? (made[0] ?? "") : (first ?? ""), "a job's");
  // Where each is a number, none goes on with a letter: what reads its digits alone finds a job.
  const numbers = issued.every((id) => NUMBER.test(id)) ? issued.slice(0, 1) : [];
  const tailed = numbers.map((id) => {
    return { what: "a job's number and a letter more", id: `${id}x`, lawful: ILL_FORMED };
  });
  // A store that takes it for a number finds each text that begins with no digit. Of jobs that are
  // numbered, one may have it.
  const nought = { what: "a job's identifier of a nought", id: "0", lawful: ILL_FORMED };
  const zero = issued.every((id) => DIGITS.test(id)) ? [] : [nought];
  return [...strict, ...odd, ...zero, ...tailed].filter(({ id }) => fresh(id));
}

/** Of workers, whose identifiers are names: a name of its own, and those like one that is known. */
export function unknownWorkerIds(random: Random, known: string | null): readonly UnknownId[] {
  const made = { what: "an unknown worker", id: madeUpWorkerId(random, known), lawful: [] };
  if (known === null) return [made];
  const longer = `${known}-${letters(random, 6)}`;
  // What is no name may have no form that a router knows with a tail, and be issued in another one.
  const isName = WORDS.test(known);
  const lawful = isName ? [] : ILL_FORMED;
  const tail = { what: "a worker's identifier with a tail", id: longer, lawful };
  return [made, tail, ...oddIds(random, isName ? known : made.id, "a worker's")];
}

/** One with a tail has the form of an issued one where it is as free as a name. */
function oddIds(random: Random, known: string, whose: string): readonly UnknownId[] {
  const odd = (how: string, id: string, lawful = ILL_FORMED) => {
    return { what: `${whose} identifier ${how}`, id, lawful };
  };
  return [
    { ...odd("cut by one", known.slice(0, -1)), mayBeIssued: true },
    { ...odd("and a letter more", `${known}x`), mayBeIssued: true },
    odd(`of ${LONG} characters`, random.token(LONG)),
    odd("with a space", `${known} ${random.token(4)}`, ODDLY_SPELT),
    // Stores of texts can't hold it, and some end a text there.
    odd("and a control character", `${known}\u0000`, ODDLY_SPELT),
    odd("in capitals", `PLUMBLINE-${random.token(8).toUpperCase()}`, ODDLY_SPELT),
    // Of two, three and four bytes: some stores compare no text with the last.
    odd("in other letters", `plumbline-${random.token(4)}-äß東😀`, ODDLY_SPELT),
    odd("of too many digits", "9".repeat(DIGITS_TOO_MANY)),
    odd("that every object has", EVERY_OBJECT_HAS),
  ];
}

/**
 * In each place what stands there in one of the issued ones, so that it has their form, whatever
 * that is; null where they are too few, of several lengths, or too much alike.
 */
function mosaicOf(random: Random, issued: readonly string[]): string | null {
  const places = placesOf(issued);
  if (places === null) return null;
  const id = places.map((chars) => pickOf(random, chars)).join("");
  return issued.includes(id) ? null : id;
}

/** An issued one with one character changed for another that stands there in one of the others. */
function oneOff(random: Random, issued: readonly string[]): string | null {
  const places = placesOf(issued);
  const own = pickOf(random, issued);
  const free = (places ?? []).flatMap((chars, at) => (chars.length > 1 ? [at] : []));
  if (places === null || free.length === 0) return null;
  const at = Math.floor(random.next() * free.length);
  const place = free[at] ?? 0;
  const others = (places[place] ?? []).filter((char) => char !== own[place]);
  const id = own.slice(0, place) + pickOf(random, others) + own.slice(place + 1);
  return issued.includes(id) ? null : id;
}

/** The characters that stand in each place of the issued ones. */
function placesOf(issued: readonly string[]): readonly (readonly string[])[] | null {
  const [first = ""] = issued;
  if (issued.some((id) => id.length !== first.length || /^[0-9]+$/.test(id))) return null;
  const places = [...first].map((_, at) => [...new Set(issued.map((id) => id[at] ?? ""))]);
  return places.filter((chars) => chars.length > 1).length < PLACES_MIN ? null : places;
}

function pickOf(random: Random, from: readonly string[]): string {
  return from[Math.floor(random.next() * from.length)] ?? "";
}
