/** The reference service with some of its answers replaced. */

import type { ServedAnswer, ServedRequest } from "../../../simulation/http.ts";
import type { ServiceSetup, SimulatedService } from "../../../simulation/service.ts";
import { openService } from "../../../simulation/service.ts";

/** null: the service's own. */
export type Bend = (request: ServedRequest) => Partial<ServedAnswer> | null;

export const NOTHING: ServedAnswer = {
  status: 503,
  headers: {},
  body: "",
  isReset: false,
  bodyMs: 0,
};

export function bentService(bend: Bend): (setup: ServiceSetup) => SimulatedService {
  return (setup) => {
    const service = openService(setup);
    const serve: SimulatedService["serve"] = (request, reply) => {
      const answer = bend(request);
      if (answer === null) service.serve(request, reply);
      else reply({ ...NOTHING, ...answer });
    };
    return { ...service, serve };
  };
}
