/** Asks a person at the terminal; there is nobody to ask where input or talk is no terminal. */

import { createInterface } from "node:readline/promises";

/** The answer, or what was proposed where nothing was typed. Rejects when the person leaves. */
export type Ask = (question: string, proposed: string) => Promise<string>;

export function createAsk(signal: AbortSignal): Ask | null {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  return async (question, proposed) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // A terminal that is read line by line hands Ctrl-C and Ctrl-D to the reader.
    const leave = () => process.kill(process.pid, "SIGINT");
    lines.once("SIGINT", leave).once("close", leave);
    const shown = proposed === "" ? "" : ` [${proposed}]`;
    try {
      const answer = await lines.question(`${question}${shown}: `, { signal });
      return answer.trim() === "" ? proposed : answer.trim();
    } finally {
      lines.off("close", leave).close();
    }
  };
}
