/** Identifiers that look like issued ones and that nobody was issued. */

import type { RunPlan } from "../../contract/run-plan.ts";
import type { Random } from "../world/random.ts";

/** Ours: too many to be hit by chance, and short enough for any reasonable limit. */
const WORKER_TOKEN_LENGTH = 16;
const JOB_TOKEN_LENGTH = 24;

/** A slug, as worker identifiers are, with the kinds of character that a known one has. §2.2. */
export function madeUpWorkerId(random: Random, { workers }: Pick<RunPlan, "workers">): string {
  const known = workers.success?.id ?? Object.values(workers)[0]?.id;
  return known === undefined
    ? `no-such-${random.token(WORKER_TOKEN_LENGTH)}`
    : likeText(random, known);
}

/** A prefix that ends in a separator, as in "job_"; job identifiers are "prefixed text". §2.4. */
const PREFIX = /^[A-Za-z]+[_-]/;

/** Ours: shorter ones may be counted up from 1, so that others of their length are issued, too. */
const SHORT = 16;
/** Ours: of letters and digits, or digits alone, which may have to fit into 32 bits. */
const TEXT_LENGTH_MIN = 16;
const NUMBER_LENGTH_MIN = 9;

/**
 * In the format of an issued identifier, where one is known: same prefix, each letter and digit
 * changed for one of its kind. Of the same length, unless that is so short that many are issued.
 */
export function madeUpJobId(random: Random, issued: string | null): string {
  if (issued === null) return `job_${random.token(JOB_TOKEN_LENGTH)}`;
  const prefix = PREFIX.exec(issued)?.[0] ?? "";
  const rest = issued.slice(prefix.length);
  if (/^[0-9]+$/.test(rest) && rest.length < SHORT) return prefix + madeUpNumber(random, rest);
  return prefix + likeText(random, rest);
}

function likeText(random: Random, text: string): string {
  const isHex = /^[0-9a-f-]+$/i.test(text);
  const like = text.length < SHORT ? text.padEnd(TEXT_LENGTH_MIN, text) : text;
  return [...like].map((char) => likeCharacter(random, char, isHex)).join("");
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
