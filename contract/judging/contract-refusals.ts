/** Judges submissions that must be refused, and the traces that they left. Spec §4.3, §7. */

import { judgeStatus } from "../judges/expected-status.ts";
import { judgeRejectedRunsNothing } from "../judges/rejected-runs-nothing.ts";
import type { RefusalsSeen } from "../judges/steps.ts";
import type { RunPlan } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";

export function judgeRefusals(seen: RefusalsSeen, { roles }: RunPlan): readonly Finding[] {
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
