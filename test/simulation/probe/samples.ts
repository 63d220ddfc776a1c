/** Samples of a scrape. */

export interface Sample {
  series: string;
  value: number;
}

/** Those whose line matches. */
export function samplesOf(metrics: string, pattern: RegExp): readonly Sample[] {
  return metrics
    .split("\n")
    .filter((line) => pattern.test(line))
    .map((line) => {
      const space = line.lastIndexOf(" ");
      return { series: line.slice(0, space), value: Number(line.slice(space + 1)) };
    });
}
