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
  const { minutes, over, probeAheadMs = 0, viewLagMsMax = 0, unscraped = [0, 0] } = incident;
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
        const minute = Math.round(elapsedMs / MINUTE_MS) - BEGINS;
        if (minute >= unscraped[0] && minute < unscraped[1]) scrapes.miss();
        else scrapes.add(metrics);
        problems.set(
          minute,
          page.problems.map(({ summary }) => summary),
        );
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
