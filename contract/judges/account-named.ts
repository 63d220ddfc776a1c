/**
 * account.readable: the account endpoints tell of the account whose key was sent, and of no other.
 * Their fields are open: one that is named for who has the account, and that each account of a run
 * has other values of, tells them apart. A key may be a member's, with a name of its own: each
 * key's answers are held against each other. Spec §2.10, §4.8.
 */

import { wordsOf } from "../balance/names.ts";
import { isObject } from "../decode/decoded.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isSuccess, jsonBody } from "../requests/exchange.ts";
import type { PlanKey } from "../run/run-plan.ts";
import type { Finding } from "../verdict.ts";
import { broken } from "../verdict.ts";
import type { KeyShots } from "./account.ts";
import { ACCOUNT_ROUTES } from "./account.ts";

/** Ours: who has an account; a name or an identifier alone may be any thing's. */
const OWNERS = [
  /^(account|user|owner|customer|tenant|workspace|team|project|member|login|username)s?$/,
  /^(e?mail|sub|org|orgs|organi[sz]ations?|company|companies)$/,
] as const;
const ITSELF = /^(id|uuid|name|handle|slug)$/;
/** Ours: a number that is not an identifier counts something. */
const NUMBERED = /id$/i;
/** Ours: what is told beside it, and may change from one answer to the next. */
const OTHER = /^(plan|tier|status|state|role|request|trace|session|region|server|node|last|top)s?$/;
/** Ours: an account is told of this deep at the most. */
const DEPTH_MAX = 3;

type Value = string | number;

/** What the answers to one key hold at one place, and the first answer with it. */
type Values = Map<Value, { count: number; first: Exchange }>;

interface Field {
  endpoint: string;
  path: string;
  seen: Map<string, OfKey>;
}

interface OfKey {
  account: string;
  values: Values;
}

/** None where each answer is of its own account, or nothing tells whose it is. */
export function judgeAccountNamed(
  shots: readonly Pick<KeyShots, "key" | "exchanges">[],
  keys: readonly Pick<PlanKey, "name" | "account">[],
): readonly Finding[] {
  const accounts = new Map(keys.map(({ name, account }) => [name, account]));
  const fields = new Map<string, Field>();
  /** Thousands of answers are alike: each text is read once. */
  const read = new Map<string, Names>();
  for (const { key, exchanges } of shots) {
    const account = accounts.get(key) ?? null;
    if (account === null) continue;
    for (const each of exchanges) {
      if (!ACCOUNT_ROUTES.includes(each.route) || !isSuccess(each)) continue;
      const names = read.get(each.body) ?? namesIn(jsonBody(each), "", 0);
      read.set(each.body, names);
      takeIn(fields, { key, account }, each, names);
    }
  }
  const wrong = [...fields.values()].flatMap((field) => {
    const { path, seen } = field;
    const told = ownersIn(seen);
    if (told !== null) return mixedUp(field, told, ofOwners(told, seen)) ?? [];
    const owners = ownersIn(fields.get(`me ${path}`)?.seen ?? new Map()) ?? NOBODY;
    const changing = [...seen].filter(([, { values }]) => values.size > 1);
    return mixedUp(field, owners, new Map(changing)) ?? [];
  });
  return wrong.slice(0, 1);
}

function takeIn(
  fields: Map<string, Field>,
  { key, account }: { key: string; account: string },
  exchange: Exchange,
  names: Names,
): void {
  for (const [path, value] of names) {
    const name = `${exchange.route} ${path}`;
    const field = fields.get(name) ?? { endpoint: exchange.path, path, seen: new Map() };
    fields.set(name, field);
    const { seen } = field;
    const { values }: OfKey = seen.get(key) ?? { account, values: new Map() };
    seen.set(key, { account, values });
    const known = values.get(value);
    if (known === undefined) values.set(value, { count: 1, first: exchange });
    else known.count += 1;
  }
}

/** What an answer holds that names who has the account, each with its path. */
type Names = readonly (readonly [string, Value])[];

function namesIn(node: unknown, path: string, depth: number): Names {
  if (isObject(node)) {
    if (depth >= DEPTH_MAX) return [];
    return Object.entries(node).flatMap(([name, value]) =>
      namesIn(value, path === "" ? name : `${path}.${name}`, depth + 1),
    );
  }
  if (typeof node === "string") return node !== "" && namesOwner(path) ? [[path, node]] : [];
  const isNumber = typeof node === "number" && Number.isInteger(node);
  return isNumber && NUMBERED.test(path) && namesOwner(path) ? [[path, node]] : [];
}

/** By its last word: within an account there are counts and times as well. */
function namesOwner(path: string): boolean {
  const words = wordsOf(path);
  if (words.some((word) => OTHER.test(word))) return false;
  const last = words.at(-1) ?? "";
  const isOfOwner = words.length === 1 || words.some(isOwner);
  return isOwner(last) || (isOfOwner && ITSELF.test(last));
}

function isOwner(word: string): boolean {
  return OWNERS.some((names) => names.test(word));
}

type Owners = ReadonlyMap<Value, string>;

const NOBODY: Owners = new Map();

/** Ours: of fewer answers to a key none is the usual one. */
const TELLING_MIN = 3;

/** By what each key is mostly told; null where no value is, or accounts share one. */
function ownersIn(seen: Field["seen"]): Owners | null {
  const owners = new Map<Value, string>();
  for (const { account, values } of seen.values()) {
    if (countOf(values) < TELLING_MIN) continue;
    const usual = usualOf(values);
    if (usual === null || (owners.get(usual) ?? account) !== account) return null;
    owners.set(usual, account);
  }
  return owners;
}

/** The keys of accounts that a value is known of: another may share its own with any of them. */
function ofOwners(owners: Owners, seen: Field["seen"]): Field["seen"] {
  const known = new Set(owners.values());
  return new Map([...seen].filter(([, { account }]) => known.has(account)));
}

/**
 * Answers that hold what is another account's. Where an endpoint mixes up so many that it does not
 * tell itself whose a name is, GET /v1/me does: then only keys are asked that are told several, as
 * one that is always told the same may belong to an account that another one pays for.
 */
function mixedUp({ endpoint, path }: Field, owners: Owners, asked: Field["seen"]): Finding | null {
  const seen = [...asked.values()];
  const strange = seen.flatMap((ofKey) =>
    [...ofKey.values].flatMap(([value, { count, first }]) => {
      return (owners.get(value) ?? ofKey.account) === ofKey.account
        ? []
        : [{ ofKey, count, first }];
    }),
  );
  const [worst] = strange.sort((a, b) => b.count - a.count);
  if (worst === undefined) return null;
  const count = strange.reduce((sum, each) => sum + each.count, 0);
  const answers = seen.reduce((sum, { values }) => sum + countOf(values), 0);
  const summary =
    `${count} of ${answers} answers to GET ${endpoint} have the ${path} of another account ` +
    `(one of a key of account "${worst.ofKey.account}"); promised the caller's`;
  const exchanges = [worst.first, ...usualAnswer(worst.ofKey.values)];
  return broken("account.readable", summary, { evidence: { answers, mixedUp: count }, exchanges });
}

/** What more than half of the answers hold; null: there is no such value. */
function usualOf(values: Values): Value | null {
  const half = countOf(values) / 2;
  return [...values].find(([, { count }]) => count > half)?.[0] ?? null;
}

function usualAnswer(values: Values): readonly Exchange[] {
  const usual = usualOf(values);
  const first = usual === null ? undefined : values.get(usual)?.first;
  return first === undefined ? [] : [first];
}

function countOf(values: Values): number {
  return [...values.values()].reduce((sum, { count }) => sum + count, 0);
}
