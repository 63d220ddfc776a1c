/**
 * How many series a probe with seven canaries exports, after an hour of virtual time.
 *
 * npm run bench -- --only series
 */

import { simulateProbe } from "../simulation/simulated-probe.ts";
import { measure } from "./row.ts";

let seed = 0;
await measure({
  figures: [{ name: "series", what: "series of `/metrics`", goal: { atMost: 1_500 } }],
  subject: "a probe with seven canaries",
  peer: null,
  warmsUp: false,
  measureSubject: async () => {
    seed += 1;
    const { metrics } = await simulateProbe({ seed, durationMs: 3_600_000 });
    return [metrics.split("\n").filter((line) => line.startsWith("plumbline_")).length];
  },
});
