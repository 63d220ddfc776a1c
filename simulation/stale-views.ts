/**
 * A service whose job endpoint reads replicas: what happened to a job shows a while later, and
 * never goes back. No fault, but it is switched on as one, as the core knows no replicas.
 *
 * A replica keeps what the last poll was shown, and no state between. So it shows a state until it
 * has been left for as long as the replica lags behind, whatever the job has come to since.
 */

import type { State } from "../contract/states.ts";
import { isWaiting } from "../contract/states.ts";
import { wholeMs } from "../reference/clock.ts";
import type { Fault } from "../reference/faults/fault.ts";
import { faultOf } from "../reference/faults/fault.ts";
import type { Answer } from "../reference/http.ts";
import type { Job } from "../reference/jobs/job.ts";
import type { GivenOptions } from "../reference/options.ts";
import type { Draw } from "./chance.ts";
import { between } from "./chance.ts";

/** What a replica knows of a job, and how far it lags behind with it. */
interface View {
  lagMs: number;
  shown: Answer;
  state: State;
}

export function staleViews(draw: Draw, lagMsMax: number): Fault {
  return faultOf(
    "job.forward-only",
    "near-stale-views",
    "views of a job lag behind",
    ({ clock }) => {
      const views = new WeakMap<Job, View>();
      return {
        answer(answer, { reason, request, job }) {
          if (reason !== "served" || request.route !== "job" || job === null) return answer;
          const known = views.get(job) ?? null;
          const lagMs = known?.lagMs ?? between(draw, 0, lagMsMax);
          const isBehind = known !== null && wholeMs(clock) - leftAtMs(known.state, job) < lagMs;
          if (isBehind) return known.shown;
          views.set(job, { lagMs, shown: answer, state: job.state });
          return answer;
        },
      };
    },
  );
}

/** When the job left that state, as far as its times tell: the latest change where they don't. */
function leftAtMs(state: State, { startedAtMs, finishedAtMs, submittedAtMs }: Job): number {
  const ended = finishedAtMs ?? startedAtMs ?? submittedAtMs;
  return isWaiting(state) ? (startedAtMs ?? ended) : ended;
}

/** The same options with such replicas, where views may lag at all. */
export function withStaleViews(given: GivenOptions, lagMsMax: number): GivenOptions {
  if (lagMsMax === 0) return given;
  return { ...given, faults: [...(given.faults ?? []), NAME] };
}

const NAME = "job.forward-only/near-stale-views";
