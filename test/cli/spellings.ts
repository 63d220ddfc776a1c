/** How writers of all kinds spell a text: what a service may say of a key, and no output may. */

type Spell = (text: string) => string;

const inHex = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0");
const lowerCased: Spell = (text) => text.replace(/%../g, (hex) => hex.toLowerCase());

/** As strict writers of URLs do, who leave letters, digits and four others. RFC 3986 §2.3. */
const strict: Spell = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${inHex(char).toUpperCase()}`);

const json: Spell = (text) => JSON.stringify(text).slice(1, -1);

/** As Go's encoder writes JSON, so that it may stand in a page. */
const goJson: Spell = (text) => json(text).replace(/[<>&]/g, (char) => `\\u00${inHex(char)}`);

/** As writers do that leave letters and digits alone. */
const bareJson: Spell = (text) => text.replace(/\W/g, (char) => `\\u00${inHex(char)}`);

const htmlWith =
  (quotes: Readonly<Record<string, string>>): Spell =>
  (text) =>
    text.replace(/[&<>"']/g, (char) => ({ ...MARKUP, ...quotes })[char] ?? char);

const MARKUP: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** All but base64, by what writes so. */
const SPELLS: Readonly<Record<string, Spell>> = {
  plain: (text) => text,
  url: encodeURIComponent,
  urlLowerCased: (text) => lowerCased(encodeURIComponent(text)),
  strictUrl: strict,
  strictUrlLowerCased: (text) => lowerCased(strict(text)),
  urlTwice: (text) => encodeURIComponent(encodeURIComponent(text)),
  path: (text) => encodeURIComponent(text).replaceAll("%2F", "/"),
  json,
  jsonTwice: (text) => json(json(text)),
  jsonOfSlashes: (text) => json(text).replaceAll("/", "\\/"),
  goJson,
  goJsonInJson: (text) => json(goJson(text)),
  bareJson,
  html: htmlWith({ '"': "&quot;", "'": "&#39;" }),
  htmlInHex: htmlWith({ '"': "&#x22;", "'": "&#x27;" }),
  xml: htmlWith({ '"': "&quot;", "'": "&apos;" }),
  goHtml: htmlWith({ '"': "&#34;", "'": "&#39;" }),
};

/** The text in each spelling, and in base64 behind so many bytes that it begins anywhere in it. */
export function spelt(text: string): readonly string[] {
  const base64 = ["", "x", "xx"].map((before) => Buffer.from(`${before}${text}xx`));
  return [
    ...Object.values(SPELLS).map((spell) => spell(text)),
    ...base64.flatMap((bytes) => [bytes.toString("base64"), bytes.toString("base64url")]),
  ];
}

/** Ours: shorter ones are words of other texts as well. */
const RUN_CHARS_MIN = 10;

/**
 * What to look for: each spelling as it is, in JSON and in a page, in base64 what is the text's
 * alone; and long runs of letters and digits, which each other spelling leaves as they are.
 */
export function traces(text: string): readonly string[] {
  const runs = (text.match(/[a-zA-Z0-9]+/g) ?? []).filter((run) => run.length >= RUN_CHARS_MIN);
  const base64 = ["", "x", "xx"].flatMap((before) => {
    const bytes = Buffer.from(before + text);
    return [bytes.toString("base64").slice(4, -4), bytes.toString("base64url").slice(4, -4)];
  });
  const whole = [...Object.values(SPELLS).map((spell) => spell(text)), ...base64];
  const each = whole.flatMap((spelling) => [spelling, json(spelling), html(spelling)]);
  return [...new Set([...runs, ...each])];
}

const html: Spell = htmlWith({ '"': "&quot;", "'": "&#39;" });
