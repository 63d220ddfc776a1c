/** Metrics of a probe that runs, as they are scraped. */

/** Sum of the samples whose line matches. */
export async function sample(address: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const lines = text.split("\n").filter((line) => pattern.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
