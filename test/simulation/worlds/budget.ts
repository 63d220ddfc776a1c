/** How much doubt a healthy service may be left in, and whether runs kept to it. */

import type { SurroundingsName } from "../../../simulation/worlds.ts";
import type { WorldRecord } from "./run.ts";

/**
 * Share of healthy runs that may end without a verdict (exit code 111), by surroundings: none where
 * nothing is in the way, and none far away; where no core is free, any. Source: docs/doubt.md.
 * Nothing may be called broken in any.
 */
export const DOUBT_SHARES_MAX: Readonly<Record<SurroundingsName, number>> = {
  quiet: 0,
  office: 0.02,
  far: 0,
  busy: 1,
  storm: 1,
  pressure: 1,
};

export function isFalseAlarm({ broken }: WorldRecord): boolean {
  return broken.length > 0;
}

/** No promise broken and some in doubt: exit code 111. */
export function isInDoubt({ broken, inconclusive }: WorldRecord): boolean {
  return broken.length === 0 && inconclusive.length > 0;
}

/** What speaks against these runs of healthy services, a sentence each. */
export function overruns(records: readonly WorldRecord[]): readonly string[] {
  const names = [...new Set(records.map(({ world }) => world))];
  const alarms = records.filter(isFalseAlarm).map(({ world, profile, seed, broken }) => {
    return `${world}, ${profile}, seed ${seed}: ${broken.join("; ")}`;
  });
  const doubts = names.flatMap((world) => {
    const own = records.filter((each) => each.world === world);
    const doubtful = own.filter(isInDoubt);
    // One run of few is more than 2 %, and no proof of more.
    const most = Math.ceil(own.length * DOUBT_SHARES_MAX[world]);
    if (doubtful.length <= most) return [];
    const examples = doubtful.map(({ seed, inconclusive }) => `seed ${seed}: ${inconclusive[0]}`);
    return [
      `${world}: ${doubtful.length} of ${own.length} runs in doubt, at most ${most}; ` +
        examples.join(" | "),
    ];
  });
  return [...alarms, ...doubts];
}
