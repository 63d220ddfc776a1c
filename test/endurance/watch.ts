/** Looks at a process of the suite until it ends. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figures, OwnFigures, Sample } from "./growth.ts";

/** To be loaded into the process by `--import`; it needs a channel ("ipc"). */
export const TELL_OWN_FIGURES = path.join(import.meta.dirname, "tell-own-figures.ts");

/** Ours: some two hundred samples in half an hour. */
const SAMPLE_MS = 10_000;

/** `figuresOf` gets what the process told last. */
export async function watchGrowth(
  child: ChildProcess,
  figuresOf: (own: OwnFigures) => Promise<Figures>,
): Promise<Sample[]> {
  const startedMs = Date.now();
  const samples: Sample[] = [];
  const ended = once(child, "exit");
  let own: OwnFigures | undefined;
  child.on("message", (told: OwnFigures) => {
    own = told;
  });
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), sleep(SAMPLE_MS, false)]);
    if (isOver) return samples;
    // A figure that is not known yet is none, and no low one.
    if (own === undefined) continue;
    const minutes = (Date.now() - startedMs) / 60_000;
    samples.push({ minutes, figures: await figuresOf(own) });
  }
}
