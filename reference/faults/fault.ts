/** What a fault is, and the small tools that faults are made of. */

import type { Clock } from "../../contract/clock.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { Hooks } from "../hooks.ts";
import type { Random } from "../random.ts";

/** What a fault may know of the service that it is switched on in. */
export interface FaultScene {
  variant: Variant;
  timeScale: number;
  keys: readonly ReferenceKey[];
  clock: Clock;
  random: Random;
}

export interface Fault {
  /** `<promise>/<how>`; near misses are `<promise>/near-<how>`. */
  name: string;
  promise: PromiseId;
  title: string;
  /** Stays inside what is promised: nothing may be reported broken. */
  nearMiss: boolean;
  /**
   * So small or so rare that a run may miss it: how often it is found is measured, and nothing
   * but its promise and companions may be reported broken. Left out: a run has to find it.
   */
  curve?: true;
  /** Variants in which it can show; left out: both. */
  variants?: readonly Variant[];
  /** Promises that can't but break with it, for the reason that heads the group's file. */
  companions?: readonly PromiseId[];
  /** Promises whose scenario has to run for it to be seen; left out: its own promise's will do. */
  seenWith?: readonly PromiseId[];
  /** Fresh hooks with a memory of their own: two services never share a fault's state. */
  create(scene: FaultScene): Partial<Hooks>;
}

type Extras = Pick<Fault, "curve" | "variants" | "companions" | "seenWith">;

/** A fault that breaks its promise. */
export function fault(
  promise: PromiseId,
  how: string,
  title: string,
  create: Fault["create"],
  extras: Extras = {},
): Fault {
  return { name: `${promise}/${how}`, promise, title, nearMiss: false, create, ...extras };
}

/** A deviation just inside of what is promised. */
export function nearMiss(
  promise: PromiseId,
  how: string,
  title: string,
  create: Fault["create"],
  extras: Extras = {},
): Fault {
  return { name: `${promise}/near-${how}`, promise, title, nearMiss: true, create, ...extras };
}

/** Draws anew each time: true with a chance of 1 in `n`; 1: always. */
export function oneIn(n: number, random: Random): () => boolean {
  return n === 1 ? () => true : () => random() * n < 1;
}

/** Draws once for each thing that it is asked about, 1 in `n`, and sticks to it. */
export function chosenOneIn<Thing extends object>(
  n: number,
  random: Random,
): (thing: Thing) => boolean {
  const known = new WeakMap<Thing, boolean>();
  const draw = oneIn(n, random);
  return (thing) => {
    const before = known.get(thing);
    if (before !== undefined) return before;
    const chosen = draw();
    known.set(thing, chosen);
    return chosen;
  };
}
