/** Submits with `webhook` and `priority` to each worker of the plan. Spec §4.3. */

import { isObject } from "../../contract/decode/decoded.ts";
import { ANSWER_OK, deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { ControlTrial } from "../../contract/judges/control-parameters.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { Part } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import type { Json } from "../../contract/verdict.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { runLimitMs, submissionOf } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { CONTROL_PARAMETERS } from "../client/inputs/wrong-bodies.ts";
import { submit } from "../client/submit.ts";
import { newToken } from "../client/token.ts";
import type { Step } from "./step.ts";

/** A name that never resolves (RFC 2606 §2), so that a delivery reaches nobody. */
const WEBHOOK = "https://plumbline.invalid/webhook";
/** Where the service has nothing: a delivery there is answered 404 by itself. */
const OWN_PATH = "/plumbline-webhook";
/** The one value that the spec shows. Spec §4.3. */
const PRIORITY = "normal";
/** Ours: what of a small budget these jobs may use, as others tell more. */
const BUDGET_SHARE = 0.25;
/** Ours: a job that is sure to run into its limit is not started for this on slow clocks. */
const RUN_LIMIT_MAX_MS = 30_000;

export const controlParametersStep: Step = {
  name: "submit: webhook and priority beside the input",
  promises: ["submit.control-parameters"],
  async run(context, catalogue) {
    const known = await catalogue();
    const trials: ControlTrial[] = [];
    const room = Math.max(1, Math.floor(context.spending.left() * BUDGET_SHARE));
    for (const part of firstParts(context, known).slice(0, room)) {
      const trial = await tryWorker(context, known, part);
      if (trial !== null) trials.push(trial);
    }
    return [{ kind: "contract.control-parameters", value: trials }];
  },
};

/** An address that a service may check: the receiver's, as the target gives it, if there is one. */
function reachableWebhook({ world, plan: { baseUrl, receiver } }: Context): string {
  if (receiver === null) return baseUrl + OWN_PATH;
  return deliveryUrl(receiver.publicUrl, receiver.tokenPrefix + newToken(world), [ANSWER_OK]);
}

/** The first part of each worker, but no timeout that takes long. */
function firstParts(context: Context, known: Catalogue): readonly Part[] {
  const seen = new Set<string>();
  const parts = PARTS.filter((part) => {
    const id = context.plan.workers[part]?.id;
    if (id === undefined || seen.has(id)) return false;
    if (part === "timeout" && runLimitMs(context, known, id) > RUN_LIMIT_MAX_MS) return false;
    if (hasOwn(known, id)) return false;
    seen.add(id);
    return true;
  });
  return closedFirst(context, known, parts);
}

/** Whether fields of its input have such a name and take no text: what they mean there is open. */
function hasOwn({ details }: Catalogue, workerId: string): boolean {
  const properties = details.get(workerId)?.detail?.inputSchema?.properties;
  if (!isObject(properties)) return false;
  const types = CONTROL_PARAMETERS.flatMap((name) => {
    const property = properties[name];
    return isObject(property) ? [property.type] : [];
  });
  return types.some((type) => type !== undefined && type !== "string");
}

/** Closed schemas first: there the parameters are most likely to be taken for the input's. */
function closedFirst(context: Context, known: Catalogue, parts: readonly Part[]): Part[] {
  const isClosed = (part: Part) => {
    const id = context.plan.workers[part]?.id ?? "";
    return known.details.get(id)?.detail?.inputSchema?.additionalProperties === false;
  };
  return [...parts].sort((a, b) => Number(isClosed(b)) - Number(isClosed(a)));
}

async function tryWorker(
  context: Context,
  known: Catalogue,
  part: Part,
): Promise<ControlTrial | null> {
  const submission = submissionOf(context, known, part);
  if (submission === null) return null;
  const send = async (control: { readonly [name: string]: Json }) => {
    const job = await submit(context, { ...submission, control, text: "short" });
    if (job !== null) context.jobs.push(job);
    return job?.submission ?? null;
  };
  const sendBoth = () => send({ webhook: WEBHOOK, priority: PRIORITY });
  const both = await sendBoth();
  if (both === null) return null;
  const none = { priority: null, webhook: null, reachableWebhook: null, plain: null };
  const trial = { workerId: submission.worker.id, both, ...none };
  // Nothing was refused, and a service that answers no sooner makes each more wait as long.
  if (isSuccess(both) || both.error === "timeout") return trial;
  const alone = {
    priority: await send({ priority: PRIORITY }),
    webhook: await send({ webhook: WEBHOOK }),
    reachableWebhook: await send({ webhook: reachableWebhook(context) }),
    plain: await send({}),
  };
  if (alone.reachableWebhook !== null && isSuccess(alone.reachableWebhook)) {
    context.note("the address of a webhook is checked when a job is submitted");
  }
  // A refusal that none of these meets may have been of that moment.
  const isMet = Object.values(alone).some((each) => each !== null && !isSuccess(each));
  return { ...trial, ...alone, both: isMet ? both : ((await sendBoth()) ?? both) };
}
