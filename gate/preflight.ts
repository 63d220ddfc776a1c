/** Before any load: is the service there, are the keys and the workers what the target says? */

import { webPageText } from "../contract/answers/web-page.ts";
import type { Price } from "../contract/limits/budget.ts";
import { UNPRICED } from "../contract/limits/budget.ts";
import { countText } from "../contract/numbers/figures.ts";
import type { PlanName } from "../contract/plans.ts";
import { activeByRate, declaredLimit, windowMs } from "../contract/plans.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { tracedIf } from "../http/traced.ts";
import type { CarefulSend } from "./careful-send.ts";
import { BEFORE_THE_RUN, carefulSend } from "./careful-send.ts";
import { REAL_NET } from "./ports.ts";
import { accountNotes, shownPlans } from "./preflight/account-check.ts";
import { keyProblem } from "./preflight/key-check.ts";
import { pricesOf, usualPrice } from "./preflight/price.ts";
import type { PreflightProblem } from "./preflight/problems.ts";
import {
  isServiceAnswer,
  isWorkerList,
  notTheService,
  unreachable,
} from "./preflight/recognition.ts";
import { checkWorkers } from "./preflight/worker-check.ts";
import type { WitnessNet } from "./witnesses/witness.ts";

export interface PreflightOptions {
  target: Target;
  secrets: Secrets;
  signal: AbortSignal;
  onProgress?: (text: string) => void;
}

export interface Preflight {
  /** Empty when the run may start. */
  problems: readonly PreflightProblem[];
  notes: readonly string[];
  /** Of a run of the `success` part, or of the first other one, as far as it is shown. */
  price: Price;
  /** Of a job of the run on average. */
  usualPrice: Price;
  /** How long the keys must be left alone until they are rested again. */
  restMs: number;
  /** By name of the key, as GET /v1/me shows them. */
  plans: ReadonlyMap<string, PlanName>;
  /** The target's, with what their schemas let marks be. */
  workers: Target["workers"];
}

/** Ours: rest of a key whose plan is not declared; both fixed plans forget within 2 s. Spec §8. */
const UNDECLARED_REST_MS = 2_000;

/**
 * Sends a few requests within every key's plan. A service that answers strangely is let through
 * with a note, since judging that is what the run is for; only what makes a run pointless stops it.
 */
export async function preflight(
  options: PreflightOptions,
  net: Omit<WitnessNet, "download"> = REAL_NET,
): Promise<Preflight> {
  const { target, secrets, signal } = options;
  const client = tracedIf(target.trace != null, net.createClient(target.baseUrl));
  const send = carefulSend(client, secrets, BEFORE_THE_RUN, net, signal);
  try {
    return await examine(options, send);
  } finally {
    await client.close();
  }
}

async function examine(options: PreflightOptions, send: CarefulSend): Promise<Preflight> {
  const { target } = options;
  const progress = options.onProgress ?? (() => {});
  const active = target.keys.filter((key) => key.state === "active");
  const problems: PreflightProblem[] = [];
  const notes: string[] = [];
  const accepted: PlanKey[] = [];
  const answers: (readonly [PlanKey, Exchange])[] = [];
  progress(`asking ${target.baseUrl} with ${countText(active.length, "key")}`);
  for (const key of active) {
    const me = await askTwice(send, key);
    if (me.error !== null) return stopped(target, unreachable(target.baseUrl, me, me.error));
    if (accepted.length === 0 && problems.length === 0 && !isServiceAnswer(me)) {
      if (!isWorkerList(await send(key, { route: "workers" }))) {
        return stopped(target, notTheService(target.baseUrl, me));
      }
      const what = webPageText(me) ?? "no JSON object";
      const unchecked = "plans and accounts of the keys could not be checked";
      notes.push(
        `GET /v1/me was answered ${me.status} with ${what} in the preflight; ${unchecked}`,
      );
    }
    answers.push([key, me]);
    const problem = await keyProblem(send, key, me);
    if (problem === null) accepted.push(key);
    else problems.push(problem);
  }
  notes.push(...accountNotes(answers));
  const [caller] = activeByRate(accepted);
  const plans = shownPlans(answers);
  if (caller === undefined) return { ...nothingOf(target), problems, notes, plans };
  const parts = Object.keys(target.workers);
  if (parts.length > 0) progress(`reading the workers of ${parts.join(", ")}`);
  const workers = await checkWorkers(send, caller, target.workers);
  problems.push(...workers.problems);
  const { success: worker = Object.values(target.workers)[0] } = target.workers;
  const prices = await pricesOf(send, caller, workers.details);
  notes.push(...workers.notes);
  return {
    ...{ problems, notes, plans, restMs: restMs(active), workers: workers.workers },
    price: prices.get(worker?.id ?? "") ?? UNPRICED,
    usualPrice: usualPrice(target, prices),
  };
}

/** A lost connection may be chance; what the service owes under load is not judged here. */
async function askTwice(send: CarefulSend, key: PlanKey): Promise<Exchange> {
  const first = await send(key, { route: "me" });
  return first.error === "reset" || first.error === "other" ? send(key, { route: "me" }) : first;
}

function stopped(target: Target, problem: PreflightProblem): Preflight {
  return { ...nothingOf(target), problems: [problem] };
}

function nothingOf({ workers }: Target): Preflight {
  const prices = { price: UNPRICED, usualPrice: UNPRICED };
  return { problems: [], notes: [], ...prices, restMs: 0, plans: new Map(), workers };
}

/** A limiter of any lawful kind has forgotten everything after burst / sustained. */
function restMs(keys: readonly PlanKey[]): number {
  const rests = keys.map((key) => {
    const limit = declaredLimit(key);
    return limit === null ? UNDECLARED_REST_MS : windowMs(limit);
  });
  return Math.max(0, ...rests);
}
