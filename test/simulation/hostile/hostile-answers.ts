/**
 * A service out of its mind: some of its answers are cut, spoilt, of other types, far too long, or
 * hold what attacks a reader. It keeps no promise, so that nothing of it is in the catalogue.
 */

import type { Fault } from "../../../reference/faults/fault.ts";
import { faultOf, sometimes } from "../../../reference/faults/fault.ts";
import type { Answer, RequestFacts } from "../../../reference/http.ts";
import { textOf } from "../../../reference/http.ts";
import type { Random } from "../../../reference/random.ts";
import { nested } from "./deep-results.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What a reader may choke on, of each type. */
const ODD_VALUES: readonly Json[] = [
  null,
  true,
  -1,
  0.1 + 0.2,
  1e308,
  -1e308,
  2 ** 53,
  "",
  " ",
  "NaN",
  "9".repeat(400),
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "$" + "{jndi:ldap://x}",
  "\u0000\u001b[31m",
  "\ud800",
  "completed\n\n# HELP x",
  "2026-02-30T25:61:61Z",
  "0000-00-00",
  "x".repeat(100_000),
  [],
  [[[[[[]]]]]],
  {},
  { __proto__: null, constructor: { prototype: { polluted: true } } },
];

const ODD_BODIES: readonly string[] = [
  "",
  "null",
  "[]",
  "{}",
  "0",
  '"text"',
  "<!doctype html><title>502</title>",
  '{"a":1',
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  "[".repeat(20_000),
  nested(20_000),
  `{"jobs":[{"job_uuid":"x","status":"completed","result":{"a":${nested(3_000)}}}]}`,
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  `{"status":"completed","status":"failed"}`,
  "\ufeff{}",
  "x".repeat(300_000),
];

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { "retry-after": "9".repeat(400) },
  { "retry-after": "-1" },
  { "retry-after": "Fri, 31 Feb 2026 25:00:00 GMT" },
  { "retry-after": "Wed, 21 Oct 9999 07:28:00 GMT" },
  { "content-type": "text/html; charset=utf-16" },
  { "content-length": "1" },
  { date: "yesterday" },
  { location: "http://169.254.169.254/latest/meta-data" },
];

const STATUSES: readonly number[] = [200, 202, 204, 206, 301, 302, 400, 401, 402, 404, 410, 418];

/** One answer in `oneOf` is bent, each in one of these ways. */
export function hostileAnswers(oneOf: number): Fault {
  return faultOf(
    "job.shape",
    "hostile",
    "answers are spoilt",
    sometimes(oneOf, (isTime, { random }) => ({
      answer: (answer, { request }) => (isTime() ? bent(answer, request, random) : answer),
    })),
  );
}

function bent(answer: Answer, request: RequestFacts, random: Random): Answer {
  const pick = <Value>(of: readonly Value[]) => of[Math.floor(random() * of.length)] as Value;
  const text = textOf(answer) ?? "";
  const ways: readonly (() => Answer)[] = [
    () => ({ ...answer, text: text.slice(0, Math.floor(random() * text.length)) }),
    () => ({ ...answer, text: pick(ODD_BODIES) }),
    () => ({ ...answer, text: noisy(text, random) }),
    () => ({ ...answer, status: pick([...STATUSES, 429, 500, 503]) }),
    () => ({ ...answer, headers: { ...answer.headers, ...pick(ODD_HEADERS) } }),
    () => ({
      ...answer,
      text: JSON.stringify(replaced(answer.body as Json, pick(ODD_VALUES), random)),
    }),
    () => ({
      ...answer,
      text: JSON.stringify(replaced(answer.body as Json, pick(ODD_VALUES), random)),
    }),
    () => ({ ...answer, text: JSON.stringify([answer.body, answer.body]) }),
    // As a gateway in debug mode does.
    () => ({ ...answer, status: 500, text: JSON.stringify({ headers: request.rawHeaders }) }),
    () => ({ ...answer, delivery: "reset" }),
  ];
  return pick(ways)();
}

/** Another character now and then. */
function noisy(text: string, random: Random): string {
  return [...text]
    .map((each) => (random() < 0.02 ? String.fromCharCode(random() * 65_536) : each))
    .join("");
}

/** The value with one of its members, at any depth, replaced. */
function replaced(value: Json | undefined, by: Json, random: Random): Json {
  if (value === null || value === undefined || typeof value !== "object" || random() < 0.1) {
    return by;
  }
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length);
    return value.map((each, index) => (index === at ? replaced(each, by, random) : each));
  }
  const names = Object.keys(value);
  const name = names[Math.floor(random() * names.length)] ?? "x";
  return { ...value, [name]: replaced(value[name], by, random) };
}
