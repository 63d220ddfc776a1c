/** Measures the bounds of transitions on the embedded service: npm run probe:bounds. */

import { parseArgs } from "node:util";
import type { Setting } from "./measure.ts";
import { measure } from "./measure.ts";
import type { Figures } from "./statistics.ts";
import { figuresOf } from "./statistics.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "420" },
    "side-by-side": { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
  },
});

const common = {
  hidesTimes: true,
  webhook: false,
  meanSeconds: [2, 4, 6, 8, 10],
  sideBySide: Number(values["side-by-side"]),
  forMs: Number(values.seconds) * 1_000,
  seed: Number(values.seed),
};
const SETTINGS: readonly Setting[] = [
  { ...common, name: "polls alone, 2 %", variation: 0.02 },
  { ...common, name: "polls alone, 10 %", variation: 0.1 },
  { ...common, name: "server's times, 10 %", variation: 0.1, hidesTimes: false },
  { ...common, name: "webhook, 10 %", variation: 0.1, webhook: true },
];

const results = await Promise.all(
  SETTINGS.map(async (setting) => ({ setting, figures: figuresOf(await measure(setting)) })),
);
process.stdout.write(
  "| witnesses, spread | jobs | transitions | inside | width of the end p50 / p90 / p99 ms " +
    "| polls a job mean / max / above 6 | fixed interval, as many polls: p50 / p90 ms |\n" +
    "|---|---|---|---|---|---|---|\n",
);
for (const { setting, figures } of results) process.stdout.write(rowOf(setting, figures));
const total = results.reduce((sum, { figures }) => sum + figures.transitions, 0);
const inside = results.reduce((sum, { figures }) => sum + figures.inside, 0);
process.stdout.write(`\n${inside} of ${total} inside: ${percent(inside / total)}\n`);
process.exitCode = inside / total >= 0.999 ? 0 : 1;

function rowOf({ name }: Setting, figures: Figures): string {
  const { jobs, transitions, widths, polls, fixed } = figures;
  const cells = [
    name,
    jobs,
    transitions,
    percent(figures.inside / transitions),
    [widths.p50, widths.p90, widths.p99].map(Math.round).join(" / "),
    `${polls.mean.toFixed(2)} / ${polls.max} / ${percent(polls.shareAboveSix)}`,
    [fixed.p50, fixed.p90].map(Math.round).join(" / "),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
