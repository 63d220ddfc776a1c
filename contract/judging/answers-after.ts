/** Judges what single requests are answered when a load is over, by key. Spec §4, §5, §7. */

import { judgeAuthErrorBody, judgeEveryEndpoint, judgeWrongKey } from "../judges/auth.ts";
import type { StatusCase } from "../judges/expected-status.ts";
import { judgeStatus } from "../judges/expected-status.ts";
import { limitedAmidClaim } from "../judges/rate/limited.ts";
import { presentClaim, validClaim } from "../judges/rate/refusals.ts";
import type { KeyTrial } from "../judges/rate/trial.ts";
import type { AnswersAfter, OverloadSeen } from "../judges/steps.ts";
import { judgeCategoryFilter, judgeTextFilter } from "../judges/worker-filters.ts";
import { judgeDetailShape, judgeListShape, listEntries } from "../judges/workers.ts";
import type { Finding } from "../verdict.ts";
import { decide } from "./decide.ts";

/** Ours: these are asked in passing, and of what was not asked nothing is said. */
const NOT_ASKED = "it was not asked for after the load";

export function judgeAnswersAfter(seen: AnswersAfter): readonly Finding[] {
  const { withoutKey, everywhere, unknownKey, revokedKey } = seen;
  const unauthenticated = [...withoutKey, ...everywhere, ...unknownKey, ...revokedKey];
  return [
    judgeStatus("auth.missing-key", withoutKey),
    judgeEveryEndpoint(everywhere),
    judgeWrongKey("auth.invalid-key", unknownKey.slice(0, 1), unknownKey.slice(1)),
    judgeWrongKey("auth.revoked-key", revokedKey.slice(0, 1), revokedKey.slice(1)),
    judgeAuthErrorBody(unauthenticated.flatMap(({ attempts }) => attempts)),
    judgeStatus("job.unknown", seen.unknownJobs),
    judgeStatus("workers.unknown", seen.unknownWorkers),
    judgeStatus("submit.malformed", seen.malformed, NOT_ASKED),
    judgeStatus("submit.missing-field", seen.missingField, NOT_ASKED),
    judgeStatus("submit.schema-violation", seen.violation, NOT_ASKED),
    judgeDetailShape(seen.workerDetails),
    ...seen.workerLists.map((list) => judgeListShape(list)),
    ...judgeFiltered(seen),
  ];
}

/**
 * Of filtered lists only what came is judged: that they hold nothing but what was asked for. A
 * worker may have been taken from the list since a load began.
 */
function judgeFiltered(seen: AnswersAfter): readonly Finding[] {
  const { categories = [], texts = [], workerLists } = seen;
  const [unfiltered = []] = workerLists.map(listedIn).filter((ids) => ids.length > 0);
  const whole = { steady: [], length: unfiltered.length };
  const queries = texts.filter(({ attempts }) => listEntries(attempts.at(-1)) !== null);
  const within = categories.filter((each) => listedIn(each).length > 0);
  return [
    judgeCategoryFilter(within, NOT_ASKED, whole),
    judgeTextFilter({
      queries: unfiltered.length > 0 ? queries : [],
      ...{ unfiltered, counts: [], without: NOT_ASKED },
    }),
  ];
}

function listedIn({ attempts }: StatusCase): readonly string[] {
  return (listEntries(attempts.at(-1)) ?? []).map(({ id }) => id);
}

export function judgeOverload(seen: OverloadSeen): readonly Finding[] {
  const trial = trialOf(seen);
  const claims = [limitedAmidClaim(trial, seen.within), presentClaim([trial]), validClaim([trial])];
  return [...claims.map(decide), ...(seen.isPoor ? [judgePoor(seen)] : [])];
}

/**
 * A wrong body may be answered for itself, whatever is left of a key: only valid ones count, and
 * only where those within the limit did not all fail as well.
 */
function trialOf({ key, plan, limit, within, shots, beyond, isPoor }: OverloadSeen): KeyTrial {
  const burst = { restedMs: 0, shots };
  const isAway = within.length > 0 && within.every(({ status }) => status >= 500);
  return {
    key,
    plan,
    limit,
    volleys: [burst],
    drain: { volley: burst, press: [] },
    returns: [],
    waitsDeclined: [],
    below: null,
    endpoints: [],
    submissions: isPoor && !isAway ? beyond : [],
  };
}

function judgePoor({ within, beyond }: OverloadSeen): Finding {
  const answered = [...within, ...beyond].filter(({ status }) => status !== 429);
  const cases = answered.map((attempt) => ({ what: "a job without credits", attempts: [attempt] }));
  return judgeStatus("submit.insufficient-credits", cases, "each was refused for the key's limit");
}
