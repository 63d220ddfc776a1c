/**
 * What a load tells of a service that stands still for 1 s in 10 s. Of arrivals that wait for no
 * answer a tenth meets a stall, each at another moment of it: p50 0, p95 500, p99 900 ms.
 *
 * npm run bench -- --only stalls
 */

import type { Service } from "../test/soak/service.ts";
import { soak, withService } from "./loaded.ts";
import { measure } from "./row.ts";

const RATE = 50;
const EVERY_MS = 10_000;
const STALL_MS = 1_000;
/** Whole periods, whatever the phase. */
const SECONDS = 20;
/** The times that arrivals meet. */
const TRUE_MS = { p95: 500, p99: 900 };

/** Stops the service's process again and again until it is ended by what it gives back. */
function stall({ process: child }: Service): () => void {
  const timer = setInterval(() => {
    child.kill("SIGSTOP");
    setTimeout(() => child.kill("SIGCONT"), STALL_MS);
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    child.kill("SIGCONT");
  };
}

/** p50 in ms, and by which share p95 and p99 are off. */
async function measured(service: Service): Promise<readonly number[]> {
  const end = stall(service);
  try {
    const { submitMs } = await soak(service, { rate: RATE, seconds: SECONDS });
    const off = (at: keyof typeof TRUE_MS) => Math.abs(submitMs[at] / TRUE_MS[at] - 1) * 100;
    return [submitMs.p50, off("p95"), off("p99")];
  } finally {
    end();
  }
}

await measure({
  figures: [
    { name: "stalls-p50", what: "p50 of submissions, ms", goal: { atMost: 5 } },
    { name: "stalls-p95", what: "p95 of submissions off by, %", goal: { atMost: 3 } },
    { name: "stalls-p99", what: "p99 of submissions off by, %", goal: { atMost: 3 } },
  ],
  subject: "a load on a service that stands still for 1 s in 10",
  peer: null,
  warmsUp: false,
  measureSubject: () => withService(measured),
});
