/** Exercises each endpoint as a careful client would: keys, account, workers, jobs, cancelling. */

import type { Observation } from "../../contract/run/observation.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { scenarioPromises } from "../catalogue.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { readCatalogue } from "../client/catalogue.ts";
import type { Scenario } from "../world/scenario.ts";
import { accountStep } from "./account.ts";
import { authStep } from "./auth.ts";
import { cancelSteps } from "./cancel.ts";
import { controlParametersStep } from "./control-parameters.ts";
import { listLimitStep, listOwnStep } from "./job-list.ts";
import { jobLivesSteps } from "./job-lives.ts";
import { jobsSeen, lastPollsStep, unknownJobStep } from "./last-polls.ts";
import { awaitUnfollowed } from "./open-jobs.ts";
import { readInRow } from "./reads.ts";
import { refusalsStep } from "./refusals.ts";
import type { Step } from "./step.ts";
import { runStep } from "./step.ts";
import { publishStep, workersStep } from "./workers.ts";

/** Ours: longest run by profile, and what is left of it for ending in good order. */
const MAX_SECONDS = { quick: 110, standard: 600, soak: 600 };
const ENDING_SECONDS = 10;

/**
 * Steps of a phase run side by side, phases one after the other: refusals need an account on which
 * nothing else goes on, and a cancel must not wait behind other requests of its key, of which jobs
 * that take long need few.
 */
function phasesOf(): readonly (readonly Step[])[] {
  const lives = jobLivesSteps();
  const cancels = cancelSteps();
  return [
    [accountStep, workersStep],
    [refusalsStep],
    [authStep, publishStep],
    [controlParametersStep],
    [lives.begin],
    [unknownJobStep, listOwnStep],
    [lives.end, cancels.ofOpenJobs],
    [cancels.ofEndedJobs, lives.volume],
    [listLimitStep],
    [lastPollsStep],
  ];
}

/**
 * Whether refusals are asked for, and nobody else of this run sends with the keys paced here, but
 * for what a large burst has room for beside.
 */
function isAlone({ roles, promises }: RunPlan): boolean {
  if (!promises.includes("rate.within-plan")) return false;
  const { caller, stranger, exhausted, webhook, timeout, limited } = roles;
  const others = [webhook, timeout, ...limited];
  return [caller, stranger, exhausted].every((key) => key === null || !others.includes(key));
}

export const contractScenario: Scenario = {
  name: "contract",
  promises: scenarioPromises("contract"),
  secondsMax: ({ profile }) => MAX_SECONDS[profile],
  endingSeconds: ENDING_SECONDS,
  opensAccount: true,
  async run(context, report) {
    let reading: Promise<Catalogue> | null = null;
    const catalogue = () => {
      reading ??= readCatalogue(context, context.asks("workers.list-shape"));
      return reading;
    };
    const tell = ({ kind, value }: Observation) => report.observed(kind, value);
    for (const phase of phasesOf()) {
      const seen = await Promise.all(phase.map((step) => runStep(step, context, catalogue)));
      seen.flat().forEach(tell);
    }
    jobsSeen(context).forEach(tell);
    await awaitUnfollowed(context);
    const readsAccount = context.asks("account.readable");
    if (isAlone(context.plan)) {
      if (readsAccount) tell({ kind: "contract.reads", value: await readInRow(context) });
      tell({ kind: "contract.paced", value: context.refusals });
    }
    const refused = context.refusedKeys.seen();
    if (readsAccount && refused.length > 0) tell({ kind: "contract.refused-keys", value: refused });
  },
};
