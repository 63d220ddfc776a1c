/** Judges the groups of the contract scenario, a step's observation at a time, and all jobs. */

import { countsTold } from "../answers/next-page.ts";
import { PER_RUN } from "../decode/worker.ts";
import type { RefusedKey } from "../judges/account.ts";
import { judgeAccountReadable, judgeRefusedKeys } from "../judges/account.ts";
import { judgeAsynchronous } from "../judges/asynchronous/index.ts";
import {
  isHeldOffIn,
  judgeAuthErrorBody,
  judgeEveryEndpoint,
  judgeWrongKey,
} from "../judges/auth.ts";
import { judgeControlParameters } from "../judges/control-parameters.ts";
import type { StatusCase } from "../judges/expected-status.ts";
import { judgeStatus } from "../judges/expected-status.ts";
import { judgeFollowedJobs } from "../judges/followed-jobs.ts";
import { listLimitClaim } from "../judges/job/lists/list-limit.ts";
import { listOwnClaim } from "../judges/job/lists/list-own.ts";
import type { ListedSeen } from "../judges/job/lists/list-own-meanwhile.ts";
import { judgeListBefore, listedMeanwhileClaim } from "../judges/job/lists/list-own-meanwhile.ts";
import { partEndNotes } from "../judges/job/part-ends.ts";
import { priceNotes } from "../judges/job/price-notes.ts";
import { transitionSeries } from "../judges/job/transition-series.ts";
import { pacedWithinPlanClaim } from "../judges/load/within-plan.ts";
import { findingsInPassing, passingOf } from "../judges/passing.ts";
import { judgePublish } from "../judges/publish.ts";
import { judgeReadAgain } from "../judges/read-again.ts";
import { judgeRejectedRunsNothing } from "../judges/rejected-runs-nothing.ts";
import type { AuthSeen, JobSeen, RefusalsSeen, WorkersSeen } from "../judges/steps.ts";
import { limitsInPassing, limitsTold } from "../judges/timeout/in-passing.ts";
import { judgeCategoryFilter, judgeTextFilter } from "../judges/worker-filters.ts";
import { judgeDetailShape, judgeListShape, listEntries } from "../judges/workers.ts";
import { jsonBody } from "../requests/exchange.ts";
import type { Observation, ObservationKind, ObservationValues } from "../run/observation.ts";
import { valuesOf } from "../run/observation.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { endWithin } from "../time/promised-times.ts";
import type { Finding } from "../verdict.ts";
import { inconclusive, mergedByPromise, withNotTried } from "../verdict.ts";
import { judgeCancels, judgeWrongCancels, wrongCancelsNotTried } from "./contract-cancel.ts";
import { judgeJobLists } from "./contract-lists.ts";
import { decide } from "./decide.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

type StepJudge<Kind extends ObservationKind> = (
  seen: ObservationValues[Kind],
  plan: RunPlan,
  jobs: readonly JobSeen[],
) => readonly Finding[];

type StepKind = Exclude<Extract<ObservationKind, `contract.${string}`>, "contract.job">;

const STEP_JUDGES: { readonly [Kind in StepKind]: StepJudge<Kind> } = {
  "contract.account": (cases) => [judgeAccountReadable(cases)],
  "contract.workers": judgeWorkers,
  "contract.refusals": judgeRefusals,
  "contract.auth": judgeAuth,
  "contract.publish": ({ own, unknown, unasked }) => [judgePublish(own, unknown, unasked)],
  "contract.control-parameters": (trials, { roles, receiverReach }) => {
    const without =
      roles.caller === null
        ? "the plan names no active key"
        : "no job could be submitted: no worker is named, or the budget does not allow it";
    const isReached = receiverReach === "sure" || receiverReach === "seen";
    return [judgeControlParameters(trials, { without, isReached })];
  },
  "contract.asynchronous": ({ fast, slow, without }) => [judgeAsynchronous(fast, slow, without)],
  "contract.unknown-jobs": (lookups) => [judgeStatus("job.unknown", lookups)],
  "contract.list-own": (seen) => [decide(listOwnClaim(seen))],
  "contract.listed": judgeListedMeanwhile,
  "contract.cancel": (seen, { times }, jobs) => [
    ...judgeCancels(seen, times, jobs),
    ...judgeWrongCancels(seen),
  ],
  "contract.paced": (refusals) => {
    const claim = pacedWithinPlanClaim(refusals, "a careful client");
    return claim === null
      ? []
      : findingsInPassing(passingOf([decide(claim)]), "in the contract scenario");
  },
  "contract.reads": judgeReadAgain,
  "contract.refused-keys": judgeRefusedKeys,
  "contract.list-limit": ({ before, own, without, ...asked }) => [
    decide(listLimitClaim(asked, own, without)),
    ...(before === undefined ? [] : judgeListBefore(before, own)),
  ],
};

export const judgeContract: ScenarioJudge = (observations, plan) => {
  const kinds = Object.keys(STEP_JUDGES) as StepKind[];
  const jobs = valuesOf(observations, "contract.job");
  const ofKind = <Kind extends StepKind>(kind: Kind) =>
    valuesOf(observations, kind).flatMap((seen) => STEP_JUDGES[kind](seen, plan, jobs));
  const details = valuesOf(observations, "contract.workers").flatMap((seen) => seen.details);
  const lists = judgeJobLists(observations, jobs);
  const untried = wrongCancelsNotTried(valuesOf(observations, "contract.cancel"));
  const findings = [
    // An endpoint whose method is not known may not look at the key. Spec §4.6.
    ...kinds
      .flatMap((kind) => ofKind(kind))
      .map((each) => (each.promise === "auth.invalid-key" ? withNotTried(each, untried) : each)),
    ...lists.findings,
    ...(jobs.length === 0 ? [] : judgeFollowedJobs(jobs, { endWithinMs: endWithin(plan) })),
  ];
  return {
    ...NO_JUDGEMENT,
    findings: [
      ...doubted(mergedByPromise(findings), valuesOf(observations, "contract.refused-keys").flat()),
      ...limitsInPassing(jobs, limitsTold(details), plan.times),
    ],
    series: transitionSeries(jobs).map((value) => ({ group: "transitions", value })),
    notes: [...partEndNotes(jobs), ...priceNotes(jobs, perRunIn(observations)), ...lists.notes],
  };
};

/** Without a key that is taken little is submitted: what was not seen may be there all the same. */
function doubted(
  findings: readonly Finding[],
  refusedKeys: readonly RefusedKey[],
): readonly Finding[] {
  const [first] = refusedKeys;
  if (first === undefined) return findings;
  return findings.map((finding) => {
    if (finding.verdict !== "unobserved") return finding;
    const reason = `${finding.reason}; key ${first.key} was refused meanwhile`;
    const evidence = { refusedKey: first.key };
    return inconclusive(finding.promise, reason, { evidence, exchanges: [first.first] });
  });
}

/** The workers that a list of the run names as billed per run. */
function perRunIn(observations: readonly Observation[]): ReadonlySet<string> {
  const pages = valuesOf(observations, "contract.workers").flatMap((seen) => seen.pages);
  const entries = pages.flatMap(({ attempts }) => listEntries(attempts.at(-1)) ?? []);
  return new Set(entries.flatMap(({ id, billingMode }) => (billingMode === PER_RUN ? [id] : [])));
}

/** None where nothing can be said. */
function judgeListedMeanwhile(seen: ListedSeen): readonly Finding[] {
  const found = decide(listedMeanwhileClaim(seen));
  return found.verdict === "unobserved" ? [] : [found];
}

const HELD_OFF = "who came with unknown keys was held off: each request was answered 429 or 403";

function judgeAuth(seen: AuthSeen): readonly Finding[] {
  const { missing, invalid, invalidEndpoints, revoked, revokedEndpoints, everywhere } = seen;
  const all = [missing, invalid, invalidEndpoints, revoked, revokedEndpoints, everywhere].flat();
  const isHeldOff = isHeldOffIn(all);
  const told = (cases: readonly StatusCase[]) => cases.filter((each) => !isHeldOff(each));
  const why = (cases: readonly StatusCase[]) => (cases.some(isHeldOff) ? HELD_OFF : undefined);
  return [
    judgeStatus("auth.missing-key", told(missing), why(missing)),
    judgeWrongKey("auth.invalid-key", told(invalid), told(invalidEndpoints), why(invalid)),
    judgeWrongKey("auth.revoked-key", told(revoked), told(revokedEndpoints), why(revoked)),
    judgeAuthErrorBody(seen.unauthorized),
    judgeEveryEndpoint(told(everywhere), why(everywhere)),
  ];
}

function judgeWorkers({ pages, categories, texts, details, unknown, steady }: WorkersSeen) {
  const [list = { what: "the worker list", attempts: [] }, ...laterPages] = pages;
  const filtered = [...laterPages, ...categories, ...texts];
  const further = filtered.flatMap(({ attempts }) => attempts.at(-1) ?? []);
  const without = "the worker list shows no worker to ask for";
  // A filtered list is read by its first page alone, and held against that.
  const first = list.attempts.at(-1);
  const unfiltered = (listEntries(first) ?? []).map(({ id }) => id);
  const counts = first === undefined ? [] : countsTold(jsonBody(first));
  const listed = pages.flatMap(({ attempts }) => listEntries(attempts.at(-1)) ?? []);
  return [
    judgeListShape(list, [...further, ...categories.flatMap((each) => each.further)]),
    judgeCategoryFilter(categories, `${without}, or no second category`, {
      steady,
      length: unfiltered.length,
    }),
    judgeTextFilter({ queries: texts, unfiltered, counts, without }),
    judgeDetailShape(details, new Set(listed.map(({ id }) => id))),
    judgeStatus("workers.unknown", unknown),
  ];
}

function judgeRefusals(seen: RefusalsSeen, { roles }: RunPlan): readonly Finding[] {
  const without =
    roles.caller === null
      ? "the plan names no active key"
      : "the plan names no worker that jobs can be submitted to";
  const unpriced = seen.isFree ? "no worker is known to take credits before a run" : without;
  const poorWithout = roles.exhausted === null ? "the target names no exhausted key" : unpriced;
  return [
    judgeStatus("submit.malformed", seen.malformed, without),
    judgeStatus(
      "submit.missing-field",
      seen.missingField,
      `${without}, or none has a required field`,
    ),
    judgeStatus(
      "submit.schema-violation",
      seen.violation,
      `${without}, or none has a field with a type`,
    ),
    judgeStatus("submit.insufficient-credits", seen.poor, poorWithout),
    judgeRejectedRunsNothing({ ...seen.traces, without }),
  ];
}
