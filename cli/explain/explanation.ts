/** What is told of a promise beside its catalogue entry, for a person who has seen it break. */

import type { PromiseGroup, PromiseId } from "../../contract/promises.ts";

/** How it is judged; what usually breaks it; what to look at first. A sentence or two each. */
export type Explanation = readonly [judged: string, causes: string, remedy: string];

export type OfGroups<Group extends PromiseGroup> = Readonly<
  Record<Extract<PromiseId, `${Group}.${string}`>, Explanation>
>;
