/** Judges what single requests are answered when a load is over, by key. Spec §4, §5, §7. */

import { judgeAuthErrorBody, judgeEveryEndpoint, judgeWrongKey } from "../judges/auth.ts";
import { judgeStatus } from "../judges/expected-status.ts";
import type { AnswersAfter } from "../judges/steps.ts";
import { judgeDetailShape, judgeListShape } from "../judges/workers.ts";
import type { Finding } from "../verdict.ts";

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
  ];
}
