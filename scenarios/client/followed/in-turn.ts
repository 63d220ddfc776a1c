/** Acts on many things at a pace, as far as the time goes: no turn is taken that is not used. */

export interface InTurn<Item> {
  /** Resolves when the next one may begin. */
  turn(): Promise<void>;
  /** Whether it is too late for more. */
  isOver(): boolean;
  act(item: Item): Promise<void>;
}

/** Begins them one after the other; resolves when all that were begun have ended. */
export async function eachInTurn<Item>(
  items: Iterable<Item>,
  { turn, isOver, act }: InTurn<Item>,
): Promise<void> {
  const begun: Promise<void>[] = [];
  for (const item of items) {
    if (isOver()) break;
    await turn();
    if (!isOver()) begun.push(act(item));
  }
  await Promise.all(begun);
}
