/**
 * Sends submissions that must be refused, and looks whether they left a trace: in the job list and
 * in the balance, before and after, while no job of the suite's own is in flight. Spec §4.3, §7.
 */

import type { AccountView } from "../../contract/balance/refused.ts";
import { MARK_CHARS, markOf } from "../../contract/jobs/marks.ts";
import type { StatusCase } from "../../contract/judges/expected-status.ts";
import type { RefusalsSeen } from "../../contract/judges/steps.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { WorkerPart } from "../../contract/run/run-plan.ts";
import { askRefused } from "../client/accepted-by-mistake.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { needsCredits } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { NO_TRACES, readAccounts, spanSince, tracesOf } from "../client/traces.ts";
import type { RefusedSubmissions } from "./refused-submissions.ts";
import {
  casesOf,
  hasAccepted,
  plainlyMarked,
  refusedAmong,
  sendRefused,
  wasRefused,
} from "./refused-submissions.ts";
import type { Step } from "./step.ts";

export const refusalsStep: Step = {
  name: "submit: bodies that must be refused",
  promises: [
    "submit.malformed",
    "submit.missing-field",
    "submit.schema-violation",
    "submit.insufficient-credits",
    "submit.rejected-runs-nothing",
  ],
  async run(context, catalogue) {
    const known = await catalogue();
    const watch = context.caller !== null && context.asks("submit.rejected-runs-nothing");
    const before = watch ? await readAccounts(context, PARTS_READ) : null;
    const [burst, poor] = await Promise.all([
      sendRefused(context, known),
      submitWithoutCredits(context, known),
    ]);
    const traces =
      before === null ? NO_TRACES : await tracesIn(context, known, before, [burst, poor]);
    const workers = Object.values(context.plan.workers);
    const isFree = workers.length > 0 && !workers.some(({ id }) => needsCredits(known, id));
    const value = { ...burst, poor, isFree, traces };
    return [{ kind: "contract.refusals", value }];
  },
};

const PARTS_READ = "balances and lists";

/** Ours: submissions without credits, of each worker in turn; half a free plan's burst in quick. */
const POOR_LEAST = { quick: 10, standard: 16, soak: 16 };

/** Valid bodies on the key of an account without credits; none where the plan has no such key. */
async function submitWithoutCredits(
  context: Context,
  known: Catalogue,
): Promise<readonly StatusCase[]> {
  const { roles, workers, profile } = context.plan;
  const { exhausted: key } = roles;
  if (key === null) return [];
  const priced = Object.values(workers).filter(({ id }) => needsCredits(known, id));
  const count = priced.length === 0 ? 0 : Math.max(priced.length, POOR_LEAST[profile]);
  const asked = Array.from({ length: count }, (_, at) => priced[at % priced.length] ?? []).flat();
  return await Promise.all(asked.map((worker) => submitPoor(context, worker, key)));
}

async function submitPoor(context: Context, worker: WorkerPart, key: string): Promise<StatusCase> {
  const { id } = worker;
  const mark = markOf(context.random.token(MARK_CHARS));
  const body = JSON.stringify(plainlyMarked(worker, mark));
  const call = { method: "POST", route: "submit", parameter: id, key, body } as const;
  const asked = await askRefused(context, call);
  return { what: `a job of "${id}" without credits`, ...asked };
}

/** What was accepted is left out of what is sent again. */
async function tracesIn(
  context: Context,
  catalogue: Catalogue,
  before: AccountView,
  [sent, poor]: readonly [RefusedSubmissions, readonly StatusCase[]],
): Promise<RefusalsSeen["traces"]> {
  const isSound = !hasAccepted(sent) && !poor.some(({ attempts }) => attempts.some(isSuccess));
  const refusedIn = (submissions: RefusedSubmissions, cases: readonly StatusCase[]) =>
    [...casesOf(submissions), ...cases].flatMap(({ attempts }) => attempts.filter(wasRefused));
  const span = await spanSince(context, before, refusedIn(sent, poor), PARTS_READ);
  return await tracesOf(context, {
    ...{ span, isSound, at: PARTS_READ, catalogue },
    async sendAgain() {
      const again = await sendRefused(context, catalogue, refusedAmong(sent));
      return refusedIn(again, isSound ? await submitWithoutCredits(context, catalogue) : []);
    },
  });
}
