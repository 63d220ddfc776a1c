/** What is known of a fault of the stranger's. */

import type { PromiseId } from "../../../../contract/promises.ts";
import type { Variant } from "../../../../contract/states.ts";

export interface StrangerFault {
  /** Promises that it breaks; any of them named is the fault found. */
  breaks: readonly [PromiseId, ...PromiseId[]];
  /** How often it strikes where it can: 1 is always. */
  share: number;
  /** Where it can, if not everywhere. */
  when?: string;
  /** Only this variant shows it. */
  variant?: Variant;
  /** Choices without which it can't strike. */
  choices?: readonly string[];
  /** Promises that bring the jobs or the time in which it shows; it may take all of them. */
  askedWith?: readonly PromiseId[] | "all";
  /** Why the suite does not name it. */
  missed?: string;
}

export function always(...breaks: StrangerFault["breaks"]): StrangerFault {
  return { breaks, share: 1 };
}

export function oneIn(count: number, ...breaks: StrangerFault["breaks"]): StrangerFault {
  return { breaks, share: 1 / count };
}

export function only(when: string, ...breaks: StrangerFault["breaks"]): StrangerFault {
  return { breaks, share: 1, when };
}
