/** Faults of texts beyond ASCII, where a part of a service reads or stores them wrongly. */

import { jsonWriter } from "../json-writer.ts";
import { isFields } from "./answers.ts";
import { type Fault, faultsOf, type Row } from "./fault.ts";
import { completed, ofCompleted } from "./job-views.ts";

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
  if (!isFields(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, inTexts(bend, each)]);
  return Object.fromEntries(members);
}

const inAnswers = (bend: Bend): Fault["create"] =>
  ofCompleted((body) => {
    const name = "result" in body ? "result" : "output";
    return { ...body, [name]: inTexts(bend, body[name]) };
  });

const inWebhooks =
  (bend: Bend): Fault["create"] =>
  () => ({
    webhook(message, job) {
      if (message === null || !completed(job)) return message;
      const { body } = message;
      const output = "output" in body ? { output: inTexts(bend, body.output) } : {};
      return { ...message, body: { ...body, ...output, result: inTexts(bend, body.result) } };
    },
  });

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

export const MANGLED_FAULTS: readonly Fault[] = [
  ...faultsOf("job.own-result", {
    ...rows(inAnswers),
    "near-spelled": [
      "Its texts hold escapes for what is not ASCII, as a worker may quote them",
      (scene) => ({ ...inAnswers(spelled)(scene), ...inWebhooks(spelled)(scene) }),
    ],
  }),
  ...faultsOf("webhook.result", {
    ...rows(inWebhooks),
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
