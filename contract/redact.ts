/** Keeps secrets out of every output: one function that blanks them wherever they stand. */

import { REDACTED, type Secret } from "./secret.ts";

/**
 * A function that replaces each of the given secrets in a text, also in its JSON- and
 * percent-encoded forms, and in base64, alone or within something longer. Empty secrets are
 * ignored; longer ones go first, so that a secret that contains another leaves no rest behind.
 */
export function redactor(secrets: Iterable<Secret>): (text: string) => string {
  const forms = new Set<string>();
  for (const each of secrets) {
    const secret = each.reveal();
    if (secret === "") continue;
    forms.add(secret);
    for (const form of percentForms(secret)) forms.add(form);
    for (const form of jsonForms(secret)) forms.add(form);
    for (const form of base64Forms(secret)) forms.add(form);
  }
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}

/** Ours: a record quotes an answer that quotes a body. */
const JSON_DEPTH = 3;

/** As a string in JSON, in JSON in JSON, and so on; some writers escape a slash, too. */
function jsonForms(secret: string): readonly string[] {
  const slashed = quoted(secret).replaceAll("/", "\\/");
  return [secret, slashed].flatMap((first) => {
    const forms = [first];
    for (let depth = 0; depth < JSON_DEPTH; depth++) forms.push(quoted(forms.at(-1) ?? ""));
    return forms;
  });
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Of a URL: writers differ in the case of hexadecimals and in what they do with a slash. */
function percentForms(secret: string): readonly string[] {
  const whole = encodeURIComponent(secret);
  return [whole, whole.replaceAll("%2F", "/")].flatMap((form) => [
    form,
    form.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ]);
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
