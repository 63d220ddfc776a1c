/** Plays an incident: probe, scrapes, the shipped rules, the status page. */

import { simulateProbe } from "../../../../simulation/simulated-probe.ts";
import { SURROUNDINGS } from "../../../../simulation/worlds.ts";
import { serviceWith } from "./happening.ts";
import type { Incident } from "./incident.ts";
import { BEGINS } from "./incident.ts";
import type { Fired } from "./scrapes.ts";
import { EVERY_SECONDS, firedBy, Scrapes } from "./scrapes.ts";

const MINUTE_MS = 60_000;

export interface Played {
  /** In minutes since the beginning. */
  fired: readonly Fired[];
  /** What the page called a problem, by the minute since the beginning. */
  problems: ReadonlyMap<number, readonly string[]>;
}

export async function play(incident: Incident): Promise<Played> {
  const { minutes, over, probeAheadMs = 0, viewLagMsMax = 0 } = incident;
  const { office } = SURROUNDINGS;
  const clockOffsetMs = office.clockOffsetMs - probeAheadMs;
  const scrapes = new Scrapes();
  const problems = new Map<number, readonly string[]>();
  const { startedAtMs } = await simulateProbe({
    seed: 1_000,
    surroundings: { ...office, clockOffsetMs, viewLagMsMax },
    service: { variant: "B" },
    openService: serviceWith(incident),
    durationMs: (BEGINS + minutes + over) * MINUTE_MS,
    sampling: {
      everyMs: EVERY_SECONDS * 1_000,
      take({ elapsedMs, metrics, page }) {
        scrapes.add(metrics);
        const summaries = page.problems.map(({ summary }) => summary);
        problems.set(Math.round(elapsedMs / MINUTE_MS) - BEGINS, summaries);
      },
    },
  });
  // Prometheus keeps the time of a machine of its own.
  const fired = await firedBy(scrapes, startedAtMs, probeAheadMs);
  // The first scrape is a minute after the start.
  const since = (seconds: number) => seconds / 60 + 1 - BEGINS;
  const inMinutes = ({ alert, first, last }: Fired) => {
    return { alert, first: since(first), last: since(last) };
  };
  return { fired: fired.map(inMinutes), problems };
}
