/**
 * Asks without a key, with unknown keys, with such as are almost right, and with a revoked one.
 * Nothing is run, unless a key of those may submit. Spec §5.
 */

import { decodeJobList } from "../../contract/decode/job-list.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isDisturbed, isSuccess, jsonBody } from "../../contract/requests/exchange.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import { submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import type { NamedCall } from "../client/endpoint-calls.ts";
import { askAll, endpointCalls, isUnknownRequest } from "../client/endpoint-calls.ts";
import { EVERY_OBJECT_HAS } from "../client/inputs/made-up.ts";
import { keyValue, planKey } from "../client/plan.ts";
import { ANY_FORM } from "../client/send.ts";
import { submit } from "../client/submit.ts";
import { sampled, seededRandom } from "../world/random.ts";
import type { AlteredKey } from "./altered-keys.ts";
import { alteredKeys } from "./altered-keys.ts";
import type { Step } from "./step.ts";

export const authStep: Step = {
  name: "auth: no key, unknown keys, revoked keys",
  promises: [
    "auth.missing-key",
    "auth.invalid-key",
    "auth.revoked-key",
    "auth.error-body",
    "auth.every-endpoint",
  ],
  async run(context, catalogue) {
    const needsJob = context.asks("auth.every-endpoint");
    const jobId = needsJob ? await ownJobId(context, catalogue) : null;
    const endpoints = endpointCalls(context, jobId);
    const keys = unknownKeyCalls(context);
    // Whoever goes on with wrong keys may be held off: what tells most comes first. One unknown key
    // comes last, as only that shows whether such keys are refused in another way by then.
    const [missing, known, revoked] = await Promise.all([
      askAll(context, [
        withoutKey("me"),
        plainly(withoutKey("me")),
        withEmptyKey(withoutKey("me")),
      ]),
      askAll(context, keys.slice(1, UNKNOWN_KEY_LENGTHS.length)),
      askAll(context, revokedKeyCalls(context)),
    ]);
    // What is read with a key must not be kept in a cache for those who have none.
    if (needsJob) await askAll(context, readsByCaller(context, endpoints));
    const everywhere = needsJob ? await askAll(context, endpoints) : [];
    const [empty, altered, unknown, withdrawn] = await Promise.all([
      needsJob ? askAll(context, endpoints.map(withEmptyKey)) : [],
      askAll(context, keys.slice(UNKNOWN_KEY_LENGTHS.length)),
      askAll(context, endpointsWithUnknownKey(context, endpoints)),
      askAll(context, endpointsWithRevokedKey(context, endpoints)),
    ]);
    const submitted = await submitWithRevokedKey(context, catalogue);
    const strange = await submitWithUnknownKeys(context, catalogue);
    const last = await askAll(context, keys.slice(0, 1));
    const value = {
      missing,
      invalid: [...known, ...altered, ...last],
      invalidEndpoints: [...unknown, ...strange],
      revoked,
      revokedEndpoints: [...withdrawn, ...submitted],
      everywhere: [...everywhere, ...empty].filter((each) => !isUnknownRequest(context, each)),
      unauthorized: [...context.unauthorized],
    };
    return [{ kind: "contract.auth", value }];
  },
};

/** Only the key can be wrong here; the other routes are auth.every-endpoint's. */
function withoutKey(route: RouteName): NamedCall {
  return { what: `${ROUTES[route]} without a key`, method: "GET", route, key: null };
}

function plainly(call: NamedCall): NamedCall {
  return { ...call, what: `${call.what} (Accept: ${ANY_FORM})`, accept: ANY_FORM };
}

/** Just before strangers ask the same: a shared cache keeps answers for a second or more. */
function readsByCaller({ caller }: Context, endpoints: readonly NamedCall[]): readonly NamedCall[] {
  if (caller === null) return [];
  return endpoints
    .filter(({ method }) => method === "GET")
    .map((call) => ({ ...call, key: caller }));
}

function withEmptyKey(call: NamedCall): NamedCall {
  return {
    ...call,
    what: `${call.what.replace(/ without a key$/, "")} with an empty key`,
    foreignKeyValue: "",
  };
}

/**
 * Ours: some services look at the length first, and bcrypt takes no more than 72 bytes; no text is
 * made from a real key.
 */
const UNKNOWN_KEY_LENGTHS = [16, 32, 40, 64, 96];
/** Ours: one of them is enough for each other endpoint. */
const UNKNOWN_KEY_LENGTH = 32;

function unknownKeyCalls(context: Context): readonly NamedCall[] {
  const unknown = UNKNOWN_KEY_LENGTHS.map((length) => ({
    what: `an unknown key of ${length} characters`,
    value: context.random.token(length),
  }));
  const property = { what: "a key that every object has", value: EVERY_OBJECT_HAS };
  return [...unknown, property, ...alteredKeysOf(context)].map(({ what, value }) => ({
    what,
    method: "GET",
    route: "me",
    key: null,
    foreignKeyValue: value,
  }));
}

/** Keys that nobody was given, made from the caller's. */
function alteredKeysOf({ world, plan, random, caller }: Context): readonly AlteredKey[] {
  if (caller === null) return [];
  const real = plan.keys.flatMap((key) => world.env(key.env) ?? []);
  return alteredKeys(random, keyValue(world, planKey(plan, caller)), real);
}

/** Ours: altered keys with which each endpoint is asked, another choice each. */
const ALTERED_KEYS_EACH = { quick: 4, standard: 16, soak: 16 };

function revokedKeyCalls({ plan }: Context): readonly NamedCall[] {
  const key = plan.roles.revoked;
  if (key === null) return [];
  return (["me", "jobs", "me"] as const).map((route) => ({
    what: `${ROUTES[route]} with a revoked key`,
    method: "GET",
    route,
    key,
  }));
}

/** The account is asked with keys of several lengths already. */
function endpointsWithUnknownKey(
  context: Context,
  endpoints: readonly NamedCall[],
): readonly NamedCall[] {
  const altered = alteredKeysOf(context);
  // By the seed alone: what has been asked so far is another in each run.
  const chance = seededRandom(context.plan.seed);
  const token = () => context.random.token(UNKNOWN_KEY_LENGTH);
  return endpoints
    .filter(({ route }) => route !== "me")
    .flatMap((call) =>
      [
        { what: "an unknown key", value: token() },
        ...sampled(chance, altered, ALTERED_KEYS_EACH[context.plan.profile]),
      ].map(({ what, value }) => ({
        ...call,
        what: `${call.what} with ${what}`,
        foreignKeyValue: value,
      })),
    );
}

/** The account and the job list are asked with it already. */
function endpointsWithRevokedKey(
  { plan }: Context,
  endpoints: readonly NamedCall[],
): readonly NamedCall[] {
  const key = plan.roles.revoked;
  if (key === null) return [];
  return endpoints
    .filter(({ route }) => route !== "me" && route !== "jobs")
    .map((call) => ({ ...call, what: `${call.what} with a revoked key`, key }));
}

async function submitWithRevokedKey(
  context: Context,
  catalogue: Parameters<Step["run"]>[1],
): Promise<readonly StatusCase[]> {
  const key = context.plan.roles.revoked;
  if (key === null || !context.asks("auth.revoked-key")) return [];
  return await submitWith(context, catalogue, { what: "a revoked key", key });
}

/** Of no form, and like a real one: writes may look at no more than the form. */
export function unknownKeys(context: Context): readonly AlteredKey[] {
  const value = context.random.token(UNKNOWN_KEY_LENGTH);
  const altered = sampled(seededRandom(context.plan.seed), alteredKeysOf(context), 1);
  return [{ what: "an unknown key", value }, ...altered];
}

/** By the seed alone, so that no other draw is another. */
export function strangersKey({ plan }: Context): string {
  return seededRandom(plan.seed).token(UNKNOWN_KEY_LENGTH);
}

async function submitWithUnknownKeys(
  context: Context,
  catalogue: Parameters<Step["run"]>[1],
): Promise<readonly StatusCase[]> {
  if (!context.asks("auth.invalid-key")) return [];
  const cases: StatusCase[] = [];
  for (const { what, value: foreignKeyValue } of unknownKeys(context)) {
    cases.push(...(await submitWith(context, catalogue, { what, key: null, foreignKeyValue })));
  }
  return cases;
}

/** A whole submission, as only that shows whether the key may run jobs; none without room. */
async function submitWith(
  context: Context,
  catalogue: Parameters<Step["run"]>[1],
  { what, ...asker }: Pick<NamedCall, "what" | "key" | "foreignKeyValue">,
): Promise<readonly StatusCase[]> {
  const submission = submissionOf(context, await catalogue(), "success");
  if (submission === null) return [];
  const { worker, price } = submission;
  const charge = context.spending.take(worker.id, price);
  if (charge === "none" || charge === "later") return [];
  const body = JSON.stringify(worker.input);
  const call = { method: "POST", route: "submit", parameter: worker.id, body } as const;
  const exchange = await context.ask({ ...call, ...asker });
  if (isDisturbed(exchange)) charge.answered(exchange);
  else charge.unsent();
  // Nobody follows that job, so it counts as told.
  if (isSuccess(exchange)) context.spending.surprise(exchange);
  return [{ what: `a job with ${what}`, attempts: [exchange] }];
}

/** A job of the caller's own: one that is listed, or a new one if the budget has room for it. */
async function ownJobId(
  context: Context,
  catalogue: Parameters<Step["run"]>[1],
): Promise<string | null> {
  const key = context.caller;
  if (key === null) return null;
  const list: Exchange = await context.ask({ method: "GET", route: "jobs", key });
  const listed = decodeJobList(jsonBody(list))?.jobs[0]?.id;
  if (list.status === 200 && listed !== undefined) return listed;
  const submission = submissionOf(context, await catalogue(), "success");
  const job = submission === null ? null : await submit(context, submission);
  return job?.issuedId ?? null;
}
