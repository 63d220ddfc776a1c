/**
 * Holds what the target file says of accounts and plans against what GET /v1/me shows. Its body
 * is open (Spec §2.10): only fields that can mean nothing else are read, and what differs is a
 * note. It may be the service that is wrong; more often the file is, and promises
 * would be called broken.
 */

import { isObject } from "../../contract/decode/decoded.ts";
import type { PlanName } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";

/** What the service shows of a key's account; null where it does not. */
interface Shown {
  key: PlanKey;
  account: string | null;
  plan: PlanName | null;
}

/** Ours: names that are an account's alone. A bare `id` may be the key's. */
const ACCOUNT_NAMES = ["account_id", "accountId", "account_uuid", "account"];
/** Spec §8. */
const PLANS: readonly string[] = ["free", "pro", "enterprise"] satisfies readonly PlanName[];

/** Of each key, the answer to GET /v1/me. */
type Answers = readonly (readonly [PlanKey, Exchange])[];

/** By name of the key; those whose plan the service does not show are left out. */
export function shownPlans(answers: Answers): ReadonlyMap<string, PlanName> {
  const plans = shownIn(answers).map(({ key, plan }) => [key.name, plan] as const);
  return new Map(plans.flatMap(([name, plan]) => (plan === null ? [] : [[name, plan]])));
}

export function accountNotes(answers: Answers): string[] {
  const shown = shownIn(answers);
  return [...shown.flatMap(planNote), ...sharedNotes(shown), ...splitNotes(shown)];
}

function shownIn(answers: Answers): readonly Shown[] {
  return answers.flatMap(([key, answer]) => {
    const body = isSuccess(answer) ? jsonBody(answer) : null;
    return isObject(body) ? [{ key, account: accountIn(body), plan: planIn(body) }] : [];
  });
}

function accountIn(body: Record<string, unknown>): string | null {
  const { account } = body;
  const values = ACCOUNT_NAMES.map((name) => body[name]);
  const nested = isObject(account) ? ["id", "uuid", ...ACCOUNT_NAMES].map((n) => account[n]) : [];
  return textOf([...values, ...nested]);
}

/** null where another part of it says another: a key may have a plan of its own. Spec §8. */
function planIn(body: Record<string, unknown>): PlanName | null {
  const { plan, account } = body;
  const nested = [plan, account]
    .filter(isObject)
    .flatMap((each) => [each.plan, each.name, each.id]);
  const [text] = plansOf([plan, ...nested]);
  const parts = Object.values(body).filter(isObject);
  const others = plansOf(parts.map((each) => each.plan));
  return others.some((other) => other !== text) ? null : (text ?? null);
}

function plansOf(values: readonly unknown[]): readonly PlanName[] {
  return values.map(lowerCase).filter((text) => PLANS.includes(text)) as PlanName[];
}

function textOf(values: readonly unknown[]): string | null {
  const found = values.find((value) => typeof value === "string" || typeof value === "number");
  return found === undefined || found === "" ? null : String(found);
}

function lowerCase(value: unknown): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

function planNote({ key, plan }: Shown): readonly string[] {
  if (key.plan === null || plan === null || plan === key.plan) return [];
  const says = `the target file says plan ${key.plan}, GET /v1/me says ${plan}`;
  return [`${named(key)}: ${says}; with a wrong plan, promises about rates are judged wrongly`];
}

/** One for each account of the service to which the file gives several names. */
function sharedNotes(shown: readonly Shown[]): readonly string[] {
  return grouped(shown, ({ account }) => account).flatMap((keys) => {
    const firsts = distinct(keys, ({ key }) => key.account);
    if (firsts.length < 2) return [];
    const accounts = firsts.map(({ key }) => `"${key.account}"`).join(", ");
    const says = `the target file says accounts ${accounts}, GET /v1/me says one`;
    const why = "job.list-own will be reported as broken: give them the same account";
    return [`${namesOf(firsts)}: ${says}; if they share one, ${why}`];
  });
}

/** One for each account of the file that is several to the service. */
function splitNotes(shown: readonly Shown[]): readonly string[] {
  return grouped(shown, ({ key }) => key.account).flatMap((keys) => {
    const firsts = distinct(keys, ({ account }) => account);
    const [first] = firsts;
    if (first === undefined || firsts.length < 2) return [];
    const says = `the target file says account "${first.key.account}" of each`;
    const shows = `GET /v1/me says ${firsts.length} accounts`;
    const why = "load.accounting will be reported as broken: give each account a name of its own";
    return [`${namesOf(firsts)}: ${says}, ${shows}; if they are several, ${why}`];
  });
}

/** Those for which nothing is known are in no group. */
function grouped(shown: readonly Shown[], nameOf: (each: Shown) => string | null): Shown[][] {
  const known = shown.filter(({ account, key }) => account !== null && key.account !== null);
  return [...Map.groupBy(known, nameOf).values()];
}

/** The first of each name. */
function distinct(shown: readonly Shown[], nameOf: (each: Shown) => string | null): Shown[] {
  const names = shown.map(nameOf);
  return shown.filter((_, at) => names.indexOf(names[at] ?? null) === at);
}

function namesOf(shown: readonly Shown[]): string {
  return shown.map(({ key }) => named(key)).join(" and ");
}

function named({ name, env }: PlanKey): string {
  return `key "${name}" (from ${env})`;
}
