/** Faults of texts beyond ASCII, where a part of a service reads or stores them wrongly. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { Hooks } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import { jsonWriter } from "../json-writer.ts";
import { type Fault, faultsOf, ofJobs, type Row } from "./fault.ts";
import { completed, onJob, withResult } from "./job-views.ts";

type Bend = (text: string) => string;

const MANGLINGS: Readonly<Record<string, readonly [what: string, bend: Bend]>> = {
  "double-encoded": [
    "is encoded twice, as UTF-8 read as Latin-1",
    (text) => Buffer.from(text).toString("latin1"),
  ],
  "question-marks": ["is question marks", (text) => text.replace(/[\u0080-\u{10ffff}]/gu, "?")],
  "without-astral": [
    "lacks the characters of four bytes",
    (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, ""),
  ],
  folded: ["has letters of ASCII that look alike", (text) => text.replaceAll("ø", "o")],
};

/** Rewrites each text of a value. */
function inTexts(bend: Bend, value: unknown): unknown {
  if (typeof value === "string") return bend(value);
  if (Array.isArray(value)) return value.map((each) => inTexts(bend, each));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, inTexts(bend, each)]);
  return Object.fromEntries(members);
}

type Which = (job: Job) => boolean;

const answersOf = (which: Which, bend: Bend) =>
  onJob(which, (body) => withResult(body, (result) => inTexts(bend, result)));

const webhooksOf = (which: Which, bend: Bend): Partial<Hooks> => ({
  webhook(message, job) {
    if (message === null || !which(job)) return message;
    const { body } = message;
    const output = "output" in body ? { output: inTexts(bend, body.output) } : {};
    return { ...message, body: { ...body, ...output, result: inTexts(bend, body.result) } };
  },
});

const inAnswers = (bend: Bend) => () => answersOf(completed, bend);
const inWebhooks = (bend: Bend) => () => webhooksOf(completed, bend);

function rows(create: (bend: Bend) => Fault["create"]): Readonly<Record<string, Row>> {
  const all = Object.entries(MANGLINGS).map(([how, [what, bend]]): [string, Row] => [
    how,
    [`What is not ASCII in its texts ${what}`, create(bend)],
  ]);
  return Object.fromEntries(all);
}

/** As JSON spells what is not ASCII. */
const ESCAPING = jsonWriter({ jsonStyle: "escaped", fieldOrder: "fixed" }, () => 0);
const spelled: Bend = (text) => ESCAPING(text).slice(1, -1);

/** Ours: columns and caches are made for a kilobyte, and cut what is longer without a word. */
const KILOBYTE = 1_024;

/** Part of a character at the end is decoded as U+FFFD. */
const toKilobyte: Bend = (text) => Buffer.from(text).subarray(0, KILOBYTE).toString();

const toChars =
  (most: number): Bend =>
  (text) =>
    [...text].slice(0, most).join("");

/** As a column for characters of at most three bytes in UTF-8 keeps a text: MySQL's `utf8`. */
const toFourBytes: Bend = (text) => text.replace(/[\u{10000}-\u{10ffff}].*$/su, "");

/** What is read by pieces of so many bytes, each by itself. */
const inPieces: Bend = (text) => {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / PIECE);
  const pieces = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * PIECE, (at + 1) * PIECE).toString(),
  );
  return pieces.join("");
};
const PIECE = 256;

/** Of 1 completed job in `oneOf`, wherever its result is shown. */
const stored = (bend: Bend, oneOf = 1): Fault["create"] =>
  ofJobs(oneOf, (chosen) => {
    const which: Which = (job) => completed(job) && chosen(job);
    return { ...answersOf(which, bend), ...webhooksOf(which, bend) };
  });

export const MANGLED_FAULTS: readonly Fault[] = [
  ...faultsOf("job.own-result", {
    ...rows(inAnswers),
    "cut-at-1-kb": ["Its texts end after 1,024 bytes", stored(toKilobyte)],
    "cut-at-1000-characters": [
      "The texts of 1 job in 3 end after 1,000 characters",
      stored(toChars(1_000), 3),
    ],
    "cut-at-255-characters": [
      "The texts of 1 job in 3 end after 255 characters",
      stored(toChars(255), 3),
    ],
    "read-in-pieces": [
      "Its texts are read in pieces of 256 bytes, which cuts characters",
      stored(inPieces),
    ],
    "cut-at-four-bytes": [
      "The texts of 1 job in 3 end before their first character of four bytes",
      stored(toFourBytes, 3),
    ],
    "near-title": ["Its texts end after 29 characters, as of a title", stored(toChars(29))],
    "near-headline": ["Its texts end after 200 characters, as of a headline", stored(toChars(200))],
    "escaped-at-times": [
      "The `&` in the texts of 1 job in 3 is escaped as in HTML",
      stored((text) => text.replaceAll("&", "&amp;"), 3),
    ],
    "near-spelled": [
      "Its texts hold escapes for what is not ASCII, as a worker may quote them",
      stored(spelled),
    ],
  }),
  ...faultsOf("webhook.signed", {
    "of-ascii": [
      "The bytes signed have a ? for what is not ASCII",
      () => ({
        post(post, { signedHeaders }) {
          const headers = signedHeaders(post.body.replaceAll(/[^\0-\x7f]/gu, "?"));
          return { ...post, headers: { ...post.headers, ...headers } };
        },
      }),
    ],
  }),
  ...faultsOf("webhook.result", {
    ...rows(inWebhooks),
    "cut-at-1-kb": ["Its texts end after 1,024 bytes", inWebhooks(toKilobyte)],
    "near-escaped": [
      "What is not ASCII is escaped in its JSON",
      () => ({
        post(post, { signedHeaders }) {
          const body = ESCAPING(JSON.parse(post.body));
          return { ...post, body, headers: { ...post.headers, ...signedHeaders(body) } };
        },
      }),
    ],
  }),
];
