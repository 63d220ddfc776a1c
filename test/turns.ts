/** Work that takes turns: no more of it is under way at a time than a machine can carry. */

export type InTurn = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function turns(most: number): InTurn {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return await work().finally(() => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    });
  };
}
