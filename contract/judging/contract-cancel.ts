/** Judges what a cancel request did to a queued, a running and an ended job. */

import {
  cancelEffectMs,
  EFFECT_MS_MAX,
  isUnderstood,
  judgeCancelQueued,
  judgeCancelRunning,
  judgeCancelTerminal,
} from "../judges/cancel.ts";
import type { CancelSeen } from "../judges/steps.ts";
import { ownMs } from "../promised-times.ts";
import type { PromisedTimes } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";

export function judgeCancels(seen: CancelSeen, times: PromisedTimes): readonly Finding[] {
  const { queued, running, terminal, methodUnknown } = seen;
  const telling = methodUnknown ? [] : queued;
  const exhausted = seen.exhausted ? "; the budget allows no more jobs" : "";
  const unknown = "none of the requests that were tried cancelled a queued job";
  const told = (without: string) => ({
    methodWorks: isUnderstood(telling),
    effectMs: cancelEffectMs(telling),
    latestMs: ownMs(times, EFFECT_MS_MAX),
    methodUnknown,
    without,
  });
  return [
    judgeCancelQueued(
      queued,
      told(`no job was seen queued: the slow jobs all ran at once${exhausted}`),
    ),
    judgeCancelRunning(
      running,
      told(methodUnknown ? unknown : `no job was seen running${exhausted}`),
    ),
    judgeCancelTerminal(
      terminal,
      told(methodUnknown ? unknown : `no completed job was there to be cancelled${exhausted}`),
    ),
  ];
}
