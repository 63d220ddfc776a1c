/** A service that dies in mid-run, or is away for a while, is told of with the times. */

import { expect, it } from "vitest";
import { faultOf } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

it.each([
  ["no more", Number.POSITIVE_INFINITY, "to the end of the run"],
  ["not for 8 s", 8_000, "12:00:32 UTC (8 s"],
])("a service that answers %s", async (_, lastsMs, told) => {
  const fault = faultOf("job.shape", "away", "Nothing is answered from then on", ({ clock }) => {
    const fromMs = clock.nowMs() + 25_000;
    const isAway = () => clock.nowMs() >= fromMs && clock.nowMs() < fromMs + lastsMs;
    return { answer: (answer) => (isAway() ? { ...answer, status: 502 } : answer) };
  });
  const { notes } = await simulateGate({
    seed: 0,
    profile: "quick",
    service: { variant: "B", faults: [fault.name] },
    otherFaults: [fault],
    only: ["job.shape", "rate.limited"],
  });
  expect(notes[0]).toContain("the service answered nobody from 12:00:25 UTC to ");
  expect(notes[0]).toContain(told);
});
