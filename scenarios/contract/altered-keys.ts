/**
 * Key values that differ from a real one by little, where its form makes it sure that the altered
 * one is another key. They are sent to the service that issued the real one, and nowhere else; no
 * record names them.
 */

import type { Random } from "../world/random.ts";

export interface AlteredKey {
  /** What was done to the key; never any part of it. */
  what: string;
  value: string;
}

/** Ours: of shorter secrets an altered one may be somebody's. */
const SECRET_LENGTH_MIN = 16;

/** A prefix that ends in a separator, as in "sk_live_". */
const PREFIX = /^(?:[A-Za-z]+[_-])*/;
/** Base64: at the end, two characters of one group may stand for the same bytes. */
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const GROUP = 16;

/** `real`: values of keys that the service knows. */
export function alteredKeys(
  random: Random,
  key: string,
  real: readonly string[],
): readonly AlteredKey[] {
  const prefix = PREFIX.exec(key)?.[0] ?? "";
  const secret = key.slice(prefix.length);
  if (secret.length < SECRET_LENGTH_MIN || !/^[\w.-]+$/.test(key)) return [];
  const half = Math.floor(secret.length / 2);
  const middle = Math.floor((0.25 + random.next() / 2) * secret.length);
  const like = (text: string) => [...text].map((char) => otherOf(random, secret, char)).join("");
  const offAt = (at: number) =>
    secret.slice(0, at) + otherOf(random, secret, secret[at] ?? "") + secret.slice(at + 1);
  const altered = [
    ["cut by its last character", key.slice(0, -1)],
    ["cut by its first character", key.slice(1)],
    ["with its last character changed", prefix + offAt(secret.length - 1)],
    ["with a character in its middle changed", prefix + offAt(middle)],
    ["with the first character of its secret changed", prefix + offAt(0)],
    ["with a tail", key + otherOf(random, secret, "")],
    ["with a longer tail", `${key}-${random.token(8)}`],
    ["with something before it", random.token(4) + key],
    ["of which the first half is right", prefix + secret.slice(0, half) + like(secret.slice(half))],
    [
      "of which the second half is right",
      prefix + like(secret.slice(0, half)) + secret.slice(half),
    ],
    ["of the right form", prefix + like(secret)],
    ["twice", key + key],
    ...otherCase(prefix, secret).map((value) => ["in other letter case", value] as const),
  ] as const;
  return altered
    .map(([how, value]) => ({ what: `a key ${how}`, value }))
    .filter(({ value }) => !real.includes(value));
}

/** Another character of the same alphabet, which no coding takes for the same. */
function otherOf(random: Random, secret: string, char: string): string {
  const groupOf = (each: string) => Math.floor(BASE64.indexOf(each) / GROUP);
  const alphabet = [...new Set(secret)].filter((each) => /[A-Za-z0-9]/.test(each));
  const others = alphabet.filter((each) => each !== char);
  const apart = others.filter((each) => groupOf(each) !== groupOf(char));
  const from = apart.length > 0 ? apart : others;
  return from[Math.floor(random.next() * from.length)] ?? "0";
}

/**
 * Hexadecimal digits, UUIDs and base 32 may be read in either case; where a key has both cases, or
 * a prefix of letters, it is compared as a text.
 */
function otherCase(prefix: string, secret: string): readonly string[] {
  const key = prefix + secret;
  const hasBoth = /[a-z]/.test(secret) && /[A-Z]/.test(secret);
  if (!hasBoth && !/[g-z]/i.test(prefix)) return [];
  const swapped = [...key].map((char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  );
  return [swapped.join("")];
}
