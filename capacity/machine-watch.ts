/** How busy this machine is while k6 sends requests: it tells of itself only what it left out. */

import { beats } from "../clock/beats.ts";
import { createSystemClock } from "../clock/system-clock.ts";
import type { HostLag } from "../contract/judges/load/generator.ts";
import type { StepMeasurement } from "../contract/run/capacity-step.ts";
import { lagRecord } from "../contract/time/lag.ts";
import { runnablePerCore } from "../receiver/run-queue.ts";
import { meanOf } from "./statistics/moments.ts";

/** Ours: as the receiver looks, which watches beside jobs. */
const BEAT_MS = 100;

/** Watches until it is asked, once, what it was like in the time of a step. */
export function watchMachine(): (
  step: Pick<StepMeasurement, "startedAtMs" | "seconds">,
) => HostLag {
  const lag = lagRecord();
  const samples: { atMs: number; perCore: number }[] = [];
  const end = beats(createSystemClock(), BEAT_MS, (span) => {
    lag.note(span);
    samples.push({ atMs: span.toMs, perCore: runnablePerCore() });
  });
  return ({ startedAtMs, seconds }) => {
    end();
    const endedAtMs = startedAtMs + seconds * 1_000;
    const wholeMs = lag.worst(startedAtMs, endedAtMs);
    const within = samples.filter(({ atMs }) => atMs >= startedAtMs && atMs <= endedAtMs);
    const perCore = within.length === 0 ? 0 : meanOf(within.map((sample) => sample.perCore));
    return { wholeMs, lastThirdMs: wholeMs, runnablePerCore: perCore };
  };
}
