/**
 * While a load is on and after it: whether keys are answered as before it, and requests without a
 * valid key still refused. What only one key meets, or only a service that is busy or has run for a
 * while, shows. Spec §4, §5, §7.
 */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { ANSWER_OK, deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { AnswersAfter, WrongBodies } from "../../contract/judges/steps.ts";
import type { CategoryQuery, TextQuery } from "../../contract/judges/worker-filters.ts";
import { percentEncoded } from "../../contract/requests/routes.ts";
import type { WorkerPart } from "../../contract/run/run-plan.ts";
import { askRefused, countAccepted } from "../client/accepted-by-mistake.ts";
import { cancelCall } from "../client/cancel-request.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { withWitness } from "../client/context.ts";
import type { NamedCall } from "../client/endpoint-calls.ts";
import { askAll, endpointCalls, isUnknownRequest } from "../client/endpoint-calls.ts";
import { madeUpJobId, madeUpWorkerId } from "../client/inputs/made-up.ts";
import type { WrongBody } from "../client/inputs/wrong-bodies.ts";
import { malformedBodies, withoutRequired, withViolation } from "../client/inputs/wrong-bodies.ts";
import type { Call } from "../client/send.ts";
import type { LoadedKey } from "../load/offered/rates.ts";
import { askBeside } from "../load/offered/requests.ts";
import type { Soak } from "../load/soak.ts";
import type { Random } from "../world/random.ts";
import { sampled } from "../world/random.ts";

/** Ours: one may be refused by chance where a service lets some through. */
const REQUESTS = 3;
/** Ours: most services have no more; of others these, by chance. */
const CATEGORIES_MAX = 4;
const UNKNOWN_KEY_LENGTH = 32;

/** While the load is offered, with one of its keys. */
export async function askMeanwhile(soak: Soak, catalogue: Catalogue): Promise<AnswersAfter> {
  return await askEach(besideLoad(soak), soak, catalogue, soak.keys.slice(0, 1));
}

/** Each request once: a busy service may fail to answer one, and nothing is held against it. */
function besideLoad(soak: Soak): Context {
  const askOnce = async (call: Call) => {
    const key = soak.keys.find(({ name }) => name === call.key);
    const isForeign = key === undefined || call.foreignKeyValue !== undefined;
    return isForeign ? await soak.context.ask(call) : await askBeside(soak, key, call);
  };
  const asked = { plan: soak.plan, world: soak.context.world, ask: askOnce };
  const askAgain = async (call: Call) => {
    const exchange = await askOnce(call);
    return await withWitness(asked, call, exchange, [exchange]);
  };
  return { ...soak.context, ask: askOnce, askAgain };
}

/** With each of the keys. */
export async function askEach(
  context: Context,
  soak: Soak,
  catalogue: Catalogue,
  keys: readonly LoadedKey[],
): Promise<AnswersAfter> {
  const { plan, random } = context;
  const issued = soak.tally.starts.find(({ issuedId }) => issuedId !== null)?.issuedId ?? null;
  const endpoints = endpointCalls(context, issued);
  const toRefuse = [...endpoints, ...cancelOfEnded(soak)];
  const unknown = random.token(UNKNOWN_KEY_LENGTH);
  const { revoked } = plan.roles;
  const [withoutKey, everywhere, unknownKey, revokedKey, ...each] = await Promise.all([
    askAll(context, Array<NamedCall>(REQUESTS).fill(ME_KEYLESS)),
    askAll(context, endpoints),
    askAll(context, toRefuse.map(named("with an unknown key", { foreignKeyValue: unknown }))),
    revoked === null ? [] : askRevoked(context, soak, revoked, issued),
    ...keys.map(({ name: key }, at) => {
      const controls = at % 2 === 0 ? controlsOf(soak) : {};
      return askWithKey(context, { key, issued, catalogue, controls });
    }),
  ]);
  const filtered = await askFiltered(context, keys[0]?.name ?? null, catalogue, unknown);
  const asked = everywhere.filter((one) => !isUnknownRequest(context, one));
  const ofKeys = OF_KEYS.map((what) => [what, each.flatMap((answers) => answers[what])] as const);
  return {
    ...(Object.fromEntries(ofKeys) as unknown as KeyAnswers),
    ...{ withoutKey, everywhere: asked, unknownKey, revokedKey, ...filtered },
  };
}

/**
 * What a search lists that has failed since: categories that leave some workers out, and a text
 * that nothing matches. Which workers there are may have changed, so that no name is searched for.
 */
async function askFiltered(
  context: Context,
  key: string | null,
  { entries }: Catalogue,
  text: string,
): Promise<Pick<AnswersAfter, "categories" | "texts">> {
  if (key === null) return { categories: [], texts: [] };
  const ask = (filter: string, value: string) => {
    const query = `${filter}=${percentEncoded(value)}`;
    return context.askAgain({ method: "GET", route: "workers", query, key });
  };
  const all = [...new Set(entries.flatMap(({ category }) => category || []))];
  const some = all.length > 1 ? sampled(context.random, all, CATEGORIES_MAX) : [];
  const [ofText, ...ofCategories] = await Promise.all([
    ask("q", text),
    ...some.map((category) => ask("category", category)),
  ]);
  const texts: readonly TextQuery[] = [{ what: `q="${text}"`, text, kind: "nonsense", ...ofText }];
  const categories = ofCategories.flatMap((asked, at): CategoryQuery[] => {
    const category = some[at] ?? "";
    return [{ what: `category "${category}"`, category, madeUp: false, ...asked, further: [] }];
  });
  return { categories, texts };
}

const ME_KEYLESS: NamedCall = { what: "me without a key", method: "GET", route: "me", key: null };

function unknownJob(random: Random, issued: string | null, key: string): NamedCall {
  const parameter = madeUpJobId(random, issued);
  return { what: "an unknown job", method: "GET", route: "job", parameter, key };
}

/** A job that has ended is changed by no cancel, whoever asks for it. Spec §3.2. */
function cancelOfEnded(soak: Soak): readonly NamedCall[] {
  const { mix, bystander, plan } = soak;
  const ended = bystander.latest.filter(({ id, end }) => id !== null && end !== null);
  const own = plan.roles.revoked === null ? null : ownJobOf(soak, plan.roles.revoked);
  const id = own ?? ended.at(-1)?.id ?? null;
  if (mix.cancel === null || id === null) return [];
  return [{ what: "a cancel of a job that ended", ...cancelCall(mix.cancel, id, null) }];
}

/** Its own account's job, where one is left, is the one to be read. */
async function askRevoked(context: Context, soak: Soak, key: string, issued: string | null) {
  const endpoints = endpointCalls(context, ownJobOf(soak, key) ?? issued);
  const calls = [...endpoints, ...cancelOfEnded(soak)];
  return await askAll(context, calls.map(named("with a revoked key", { key })));
}

/**
 * A job that ended, of the key's account: another one's may be unknown to a key that is let in.
 * Null where none is left.
 */
function ownJobOf({ bystander, plan }: Soak, revoked: string): string | null {
  const account = plan.keys.find(({ name }) => name === revoked)?.account ?? null;
  const isOwn = (owner: string | null) => account !== null && owner === account;
  const own = bystander.latest.find(({ id, end, key }) => {
    return id !== null && end !== null && isOwn(key.account);
  });
  return own?.id ?? null;
}

/** The same call, by whom. */
function named(who: string, whose: Partial<Pick<NamedCall, "foreignKeyValue" | "key">>) {
  return (call: NamedCall): NamedCall => ({ ...call, ...whose, what: `${call.what} ${who}` });
}

/** What one key is answered. */
type KeyAnswers = Pick<AnswersAfter, (typeof OF_KEYS)[number]>;

const OF_KEYS = [
  "unknownJobs",
  "unknownWorkers",
  "malformed",
  "missingField",
  "violation",
  "workerLists",
  "workerDetails",
] as const;

/** What the jobs of the load were submitted with: it changes nothing of a body that is wrong. */
function controlsOf({ plan: { receiver }, tokenPrefix, bystander, mix }: Soak): JsonObject {
  const isTaken = mix.parts.every(({ worker }) => bystander.taking.has(worker.id));
  if (!isTaken) return {};
  const url =
    receiver === null
      ? null
      : deliveryUrl(receiver.publicUrl, `${tokenPrefix}refused`, [ANSWER_OK]);
  return { priority: "normal", ...(url === null ? {} : { webhook: url }) };
}

interface KeyCheck {
  /** Goes with the bodies that are refused. */
  controls: JsonObject;
  key: string;
  /** Any identifier that was issued: what is unknown has its form. */
  issued: string | null;
  catalogue: Catalogue;
}

/** Each endpoint once that runs nothing and that a load does not use. */
async function askWithKey(context: Context, check: KeyCheck): Promise<KeyAnswers> {
  const { key, issued } = check;
  const { plan, random } = context;
  const worker = plan.workers.success ?? Object.values(plan.workers)[0];
  const { id, input = {} } = worker ?? {};
  const parameter = madeUpWorkerId(random, id);
  const unknown = { what: "of an unknown worker", parameter, key };
  const ask = (...calls: readonly NamedCall[]) =>
    askAll(context, calls.map(named(`of ${key}`, {})));
  const [unknownJobs, unknownWorkers, workerLists, workerDetails, refused] = await Promise.all([
    ask(unknownJob(random, issued, key)),
    ask(
      { ...unknown, method: "GET", route: "worker" },
      { ...unknown, method: "POST", route: "submit", body: JSON.stringify(input) },
    ),
    ask({ what: "the worker list", method: "GET", route: "workers", key }),
    id === undefined
      ? []
      : ask({ what: `worker "${id}"`, method: "GET", route: "worker", parameter: id, key }),
    worker === undefined ? NOTHING_REFUSED : refusedBodies(context, check, worker),
  ]);
  for (const { attempts } of unknownWorkers) {
    for (const attempt of attempts.filter(({ route }) => route === "submit")) {
      countAccepted(context, attempt);
    }
  }
  return { unknownJobs, unknownWorkers, workerLists, workerDetails, ...refused };
}

const NOTHING_REFUSED: WrongBodies = { malformed: [], missingField: [], violation: [] };

/** One body of each kind. */
async function refusedBodies(
  context: Context,
  { key, catalogue, controls }: KeyCheck,
  { id, input: valid }: WorkerPart,
): Promise<WrongBodies> {
  const schema = catalogue.details.get(id)?.detail?.inputSchema ?? {};
  const input = { ...valid, ...controls };
  const send = async ({ what, body, lawful }: WrongBody): Promise<StatusCase> => {
    const call = { method: "POST", route: "submit", parameter: id, key, body } as const;
    const asked = await askRefused(context, call);
    return { what: `${what} of ${key}`, ...(lawful === undefined ? {} : { lawful }), ...asked };
  };
  const sendOne = (bodies: readonly WrongBody[]) =>
    Promise.all(sampled(context.random, bodies, 1).map(send));
  const [malformed, missingField, violation] = await Promise.all([
    sendOne(malformedBodies(input)),
    sendOne(withoutRequired(schema, input)),
    sendOne(withViolation(schema, input)),
  ]);
  return { malformed, missingField, violation };
}
