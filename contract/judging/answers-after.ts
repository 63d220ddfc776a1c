/** Judges what single requests are answered when a load is over, by key. Spec §4, §5, §7. */

import {
  judgeAuthErrorBody,
  judgeEveryEndpoint,
  judgeInvalidKey,
  judgeMissingKey,
  judgeRevokedKey,
} from "../judges/auth.ts";
import { judgeUnknownJobs } from "../judges/job.ts";
import {
  judgeMalformed,
  judgeMissingField,
  judgeSchemaViolation,
} from "../judges/refused-bodies.ts";
import type { AnswersAfter } from "../judges/steps.ts";
import { judgeDetailShape, judgeListShape, judgeUnknownWorker } from "../judges/workers.ts";
import type { Finding } from "../verdict.ts";

/** Ours: these are asked in passing, and of what was not asked nothing is said. */
const NOT_ASKED = "it was not asked for after the load";

export function judgeAnswersAfter(seen: AnswersAfter): readonly Finding[] {
  const { withoutKey, everywhere, unknownKey, revokedKey } = seen;
  const strangers = [...withoutKey, ...everywhere, ...unknownKey, ...revokedKey];
  return [
    judgeMissingKey(withoutKey),
    judgeEveryEndpoint(everywhere),
    judgeInvalidKey(unknownKey.slice(0, 1), unknownKey.slice(1)),
    judgeRevokedKey(revokedKey.slice(0, 1), revokedKey.slice(1)),
    judgeAuthErrorBody(strangers.flatMap(({ attempts }) => attempts)),
    judgeUnknownJobs(seen.unknownJobs),
    judgeUnknownWorker(seen.unknownWorkers),
    judgeMalformed(seen.malformed, NOT_ASKED),
    judgeMissingField(seen.missingField, NOT_ASKED),
    judgeSchemaViolation(seen.violation, NOT_ASKED),
    judgeDetailShape(seen.workerDetails),
    ...seen.workerLists.map((list) => judgeListShape(list)),
  ];
}
