/** Judges of accepted submissions: status, shape, identifier. Spec §2.4, §4.3. */

import type { JobHistory } from "../jobs/job-history.ts";
import type { Seen } from "../judging/claim.ts";
import { countText } from "../numbers/figures.ts";
import { isSuccess } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";
import type { JobReading } from "./job/reading.ts";
import { readHistories, runVariant } from "./job/reading.ts";
import { judgeSampled } from "./job/sample.ts";
import type { Told } from "./job/timestamps.ts";
import { isWithin, shortStamps } from "./job/timestamps.ts";

const NONE_ACCEPTED = "no submission was accepted";

export const ACCEPTED_PROMISES = [
  "submit.accepted-status",
  "submit.accepted-shape",
  "submit.unique-id",
] as const;

/** One finding for each of ACCEPTED_PROMISES. Submissions that were refused are not judged. */
export function judgeAccepted(histories: readonly JobHistory[]): readonly Finding[] {
  return judgeAcceptedReadings(readHistories(histories));
}

/** The same of submissions whose answers were decoded as they came. */
export function judgeAcceptedReadings(readings: readonly JobReading[]): readonly Finding[] {
  const accepted = readings.filter(({ history }) => isSuccess(history.submission));
  const histories = accepted.map(({ history }) => history);
  return [judgeStatus(histories), judgeShape(accepted), judgeUniqueId(histories)];
}

function judgeStatus(accepted: readonly JobHistory[]): Finding {
  const wrong = accepted.filter((history) => history.submission.status !== 202);
  return judgeSampled({
    promise: "submit.accepted-status",
    faults: wrong.map(({ submission }) => ({
      what: `an accepted job was answered ${submission.status}; expected 202`,
      exchanges: [submission],
    })),
    samples: accepted.length,
    kept: `${countText(accepted.length, "accepted job")} answered 202`,
    without: NONE_ACCEPTED,
  });
}

function judgeShape(accepted: readonly JobReading[]): Finding {
  const variant = runVariant(accepted);
  return judgeSampled({
    promise: "submit.accepted-shape",
    faults: [
      ...accepted.flatMap((reading) =>
        shapeFaults(reading, variant).map((what) => ({
          what,
          exchanges: [reading.history.submission],
        })),
      ),
      ...shortStamps(accepted.flatMap(stampOf)),
    ],
    samples: accepted.length,
    kept: `${countText(accepted.length, "response")} to accepted submissions match the interface`,
    without: NONE_ACCEPTED,
  });
}

function shapeFaults({ history, accepted }: JobReading, variant: string | null): readonly string[] {
  if (accepted === null) return [];
  const faults = accepted.problems.map(
    (each) => `${each.path} is ${each.got}; expected ${each.expected}`,
  );
  const workerId = accepted.value?.workerId ?? history.workerId;
  if (workerId !== history.workerId) {
    faults.push(`accepted for worker "${workerId}"; submitted to "${history.workerId}"`);
  }
  if (accepted.variant !== null && variant !== null && accepted.variant !== variant) {
    faults.push(
      `an accepted object of variant ${accepted.variant}; the jobs are variant ${variant}`,
    );
  }
  return faults;
}

function stampOf({ history, accepted }: JobReading): readonly Told[] {
  const time = accepted?.variant === "B" ? (accepted.value?.createdAt ?? null) : null;
  if (time === null) return [];
  const { submission: exchange } = history;
  return [{ time, path: "submitted_at", exchange, isWhole: isWithin(time, exchange) }];
}

function judgeUniqueId(accepted: readonly JobHistory[]): Finding {
  const byId = new Map<string, JobHistory[]>();
  for (const history of accepted) {
    if (history.issuedId === null) continue;
    byId.set(history.issuedId, [...(byId.get(history.issuedId) ?? []), history]);
  }
  const shared = [...byId].filter(([, histories]) => histories.length > 1);
  const issued = [...byId.values()].reduce((sum, histories) => sum + histories.length, 0);
  return judgeSampled({
    promise: "submit.unique-id",
    faults: shared.map(
      ([id, histories]): Seen => ({
        what: `${histories.length} jobs have the id "${id}"; promised a unique id`,
        exchanges: histories.map((history) => history.submission),
      }),
    ),
    samples: issued >= 2 ? issued : 0,
    kept: `${countText(issued, "job id")}, no duplicates`,
    without: "fewer than two jobs were given an identifier",
  });
}
