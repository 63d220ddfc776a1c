/**
 * A service whose job endpoint reads replicas: what happened to a job shows a while later, and
 * never goes back. No fault, but it is switched on as one, as the core knows no replicas.
 */

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
          const view = views.get(job) ?? { lagMs: between(draw, 0, lagMsMax), shown: answer };
          views.set(job, view);
          const changedAtMs = job.finishedAtMs ?? job.startedAtMs ?? job.submittedAtMs;
          if (wholeMs(clock) - changedAtMs >= view.lagMs) view.shown = answer;
          return view.shown;
        },
      };
    },
  );
}

/** The same options with such replicas, where views may lag at all. */
export function withStaleViews(given: GivenOptions, lagMsMax: number): GivenOptions {
  if (lagMsMax === 0) return given;
  return { ...given, faults: [...(given.faults ?? []), NAME] };
}

const NAME = "job.forward-only/near-stale-views";
