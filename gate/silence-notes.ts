/** When the service answered nobody, whichever scenarios ran then: notes that come before all. */

import type { Silence, Stretch } from "../contract/requests/silence.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import { joinedBy } from "../contract/time/spans.ts";
import type { CalledOff } from "./call-off.ts";
import { calledOffNote, timeOf } from "./call-off.ts";

/** Ours: shorter ones, and those in which next to nobody asked, explain no verdict. */
const NOTED_MS_MIN = 3_000;
const NOTED_REQUESTS_MIN = 5;

/**
 * One for each time in which all scenarios that ran, and asked, met nothing but failure; before
 * them why a run was called off.
 */
export function silenceNotes(
  records: readonly EvidenceRecord[],
  calledOff: CalledOff | null,
): readonly string[] {
  const seen = records.filter((record) => record.type === "silences");
  const answered = seen.flatMap((each) => each.answered);
  const lastMs = Math.max(...answered.map(([, toMs]) => toMs));
  const first = calledOff === null ? [] : [calledOffNote(calledOff, answered)];
  const others = joinedBy(
    seen.flatMap(({ silences }) => silences),
    both,
  )
    .flatMap((silence) => without(silence, answered))
    .filter(
      ({ fromMs, toMs, requests }) =>
        toMs - fromMs >= NOTED_MS_MIN && requests >= NOTED_REQUESTS_MIN,
    )
    .map((silence) => noteOf(silence, lastMs));
  return [...first, ...others];
}

function both(one: Silence, other: Silence): Silence {
  const statuses: Record<number, number> = { ...one.statuses };
  for (const [status, count] of Object.entries(other.statuses)) {
    statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
  }
  const requests = one.requests + other.requests;
  const path = one.path === other.path ? (one.path ?? null) : null;
  return { fromMs: one.fromMs, toMs: Math.max(one.toMs, other.toMs), requests, statuses, path };
}

/** What is left of a silence where others were answered meanwhile: its longest part. */
function without(silence: Silence, answered: readonly Stretch[]): readonly Silence[] {
  let parts: Stretch[] = [[silence.fromMs, silence.toMs]];
  for (const [fromMs, toMs] of answered) {
    parts = parts.flatMap(([start, end]): Stretch[] =>
      toMs <= start || fromMs >= end
        ? [[start, end]]
        : [
            [start, Math.max(start, fromMs)],
            [Math.min(end, toMs), end],
          ],
    );
  }
  const [longest] = parts.sort((a, b) => b[1] - b[0] - (a[1] - a[0]));
  if (longest === undefined) return [];
  return [{ ...silence, fromMs: longest[0], toMs: longest[1] }];
}

function noteOf({ fromMs, toMs, requests, statuses, path }: Silence, lastMs: number): string {
  // Others were not asked meanwhile: it may have answered them.
  const [nobody, what] =
    path == null ? ["nobody", ", webhooks too,"] : [`nobody who asked for ${path}`, ""];
  const answers = Object.entries(statuses)
    .sort((a, b) => b[1] - a[1])
    .map(([status, count]) => `${count} ${status === "0" ? "no answer" : status}`);
  const until = fromMs >= lastMs ? "to the end of the run" : `to ${timeOf(toMs)}`;
  const seconds = Math.round((toMs - fromMs) / 1_000);
  return (
    `the service answered ${nobody} from ${timeOf(fromMs)} ${until} (${seconds} s; about ` +
    `${requests} requests: ${answers.join(", ")}): what is broken or in doubt${what} ` +
    "may come of that"
  );
}
