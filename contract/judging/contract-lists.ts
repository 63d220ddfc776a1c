/** Judges the job lists of the contract scenario by each other, whatever each was read for. */

import { judgeListLength } from "../judges/job/lists/list-limit.ts";
import { listNotes } from "../judges/job/lists/list-notes.ts";
import type { ListedSeen } from "../judges/job/lists/list-own-meanwhile.ts";
import { judgeRefusedMeanwhile } from "../judges/job/lists/list-own-meanwhile.ts";
import { judgeListShrunk } from "../judges/job/lists/list-shrunk.ts";
import { judgeListedStates } from "../judges/job/lists/listed-state.ts";
import { judgeStartedOnce } from "../judges/job/run-once.ts";
import { judgeRefusedAndListed } from "../judges/rejected-runs-nothing.ts";
import type { JobSeen, ListLimitSeen } from "../judges/steps.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { Observation } from "../run/observation.ts";
import { valuesOf } from "../run/observation.ts";
import type { Finding } from "../verdict.ts";

export function judgeJobLists(observations: readonly Observation[], jobs: readonly JobSeen[]) {
  const meanwhile = valuesOf(observations, "contract.listed");
  const limits = valuesOf(observations, "contract.list-limit");
  const asked = valuesOf(observations, "contract.list-own");
  const own = [
    ...meanwhile.flatMap(({ lists }) => lists.flat()),
    ...asked.flatMap(({ accepted }) => accepted.flatMap(({ lists }) => lists)),
    ...limits.flatMap(wholeOf),
  ];
  const all = [...own, ...asked.flatMap(({ stranger }) => stranger?.list ?? [])];
  const states = judgeListedStates(jobs, all);
  return {
    findings: [
      ...judgeRefusedAndListed(refusedIn(observations), all),
      ...judgeStartedOnce(jobs, all),
      ...states,
      ...judgeInTurn(meanwhile, limits),
      ...judgeRefusedMeanwhile(meanwhile, all),
      ...judgeListLength(all),
    ],
    notes: listNotes(own, jobs, states.length > 0),
  };
}

function wholeOf({ before, list }: ListLimitSeen): readonly Exchange[] {
  return before === undefined ? [list] : [before, list];
}

function refusedIn(observations: readonly Observation[]): readonly Exchange[] {
  return valuesOf(observations, "contract.refusals")
    .flatMap((seen) => [seen.malformed, seen.missingField, seen.violation, seen.poor])
    .flatMap((cases) => cases.flatMap(({ attempts }) => attempts));
}

/** Each by itself: a list of several pages is no moment's. */
function judgeInTurn(
  meanwhile: readonly ListedSeen[],
  limits: readonly ListLimitSeen[],
): readonly Finding[] {
  const lists = [
    ...meanwhile.flatMap((seen) => seen.lists.filter((pages) => pages.length === 1).flat()),
    ...limits.flatMap(wholeOf),
  ];
  const own = [...meanwhile, ...limits].map((seen) => seen.own);
  // The last of them knows all jobs; others know what they were told until then.
  const known = own.reduce((most, each) => (each.length > most.length ? each : most), []);
  return judgeListShrunk(lists, known);
}
