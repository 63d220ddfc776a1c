/** The reference service on virtual time, to which something happens for a while. */

import { faultOf } from "../../../../reference/faults/fault.ts";
import type { ServedRequest } from "../../../../simulation/http.ts";
import type { ServiceSetup, SimulatedService } from "../../../../simulation/service.ts";
import { openService } from "../../../../simulation/service.ts";
import { NOTHING } from "../bent-service.ts";
import type { Incident } from "./incident.ts";
import { BEGINS } from "./incident.ts";

const MINUTE_MS = 60_000;

export function serviceWith({ happens, minutes }: Incident) {
  return (setup: ServiceSetup): SimulatedService => {
    const { clock } = setup.machine;
    const beginMs = clock.nowMs() + BEGINS * MINUTE_MS;
    const endMs = beginMs + minutes * MINUTE_MS;
    const isOn = () => clock.nowMs() >= beginMs && clock.nowMs() < endMs;
    const { faults: named = [], hooks = () => ({}), answer, delayMs = 0, post } = happens;
    const minutesIn = () => (clock.nowMs() - beginMs) / MINUTE_MS;
    const fault = faultOf("job.shape", "incident", "what happens", () => hooks(minutesIn));
    const after = (ms: number, callback: () => void) => void clock.after(ms, callback);
    const bent = post?.(setup.post, after) ?? setup.post;
    const service = openService({
      ...setup,
      otherFaults: [...setup.otherFaults, fault],
      post: (each) => (isOn() ? bent(each) : setup.post(each)),
    });
    for (const name of [fault.name, ...named]) {
      clock.at(beginMs, () => service.faults.enable(name));
      clock.at(endMs, () => service.faults.disable(name));
    }
    const answerOf = (request: ServedRequest) =>
      isOn() ? (answer?.(request, minutesIn()) ?? null) : null;
    const serve: SimulatedService["serve"] = (request, reply) => {
      const own = answerOf(request);
      if (own !== null) return reply({ ...NOTHING, ...own });
      if (!isOn() || delayMs === 0) return service.serve(request, reply);
      after(delayMs, () => service.serve(request, reply));
    };
    return { baseUrl: service.baseUrl, target: service.target, serve };
  };
}
