/** Scrapes of a probe as promtool reads them, and what the shipped rules say of them. */

import { parse, stringify } from "yaml";
import { DEFAULT_RULE_OPTIONS } from "../../../../dashboards/rules/options.ts";
import { ruleFile } from "../../../../dashboards/rules/rule-file.ts";
import { promtool } from "../../../dashboards/promtool.ts";
import type { Rule } from "../../../dashboards/rules/rule-case.ts";

/** Ours: between scrapes, and between evaluations; the longest that the rules allow. */
export const EVERY_SECONDS = 60;

const PROCESS = 'job="plumbline",instance="p"';
const RULES = ruleFile(DEFAULT_RULE_OPTIONS);
const READ = new Set(RULES.match(/plumbline_\w+/g));

export class Scrapes {
  readonly #rows = new Map<string, string[]>();
  #scrapes = 0;

  add(metrics: string): void {
    for (const line of metrics.split("\n")) {
      const [name = ""] = /^\w*/.exec(line) ?? [];
      if (!READ.has(name)) continue;
      const space = line.lastIndexOf(" ");
      this.#put(line.slice(0, space).replace("{", `{${PROCESS},`), line.slice(space + 1));
    }
    this.#put(`up{${PROCESS}}`, "1");
    this.#scrapes += 1;
  }

  /** Prometheus itself was away. */
  miss(): void {
    this.#scrapes += 1;
  }

  #put(series: string, value: string): void {
    const row = this.#rows.get(series) ?? [];
    while (row.length < this.#scrapes) row.push("_");
    row.push(spelled(value));
    this.#rows.set(series, row);
  }

  /** `processStartMs`: by the clock of the probe's machine. */
  series(processStartMs: number): readonly { series: string; values: string }[] {
    const start = `process_start_time_seconds{${PROCESS},location="simulated"}`;
    const rows = new Map(this.#rows);
    rows.set(start, Array(this.#scrapes).fill(String(processStartMs / 1_000)));
    return [...rows].map(([series, row]) => ({ series, values: runs(row) }));
  }

  get seconds(): number {
    return (this.#scrapes - 1) * EVERY_SECONDS;
  }
}

/** promtool's notation; it knows no NaN, and a sample that is not there says as little. */
function spelled(value: string): string {
  // Nor does it repeat infinity; no rule tells a ceiling that is none from so high a one.
  if (value === "+Inf") return "9e99";
  return /^nan$/i.test(value) ? "_" : value;
}

/** "5x3": four times 5. */
function runs(row: readonly string[]): string {
  const parts: string[] = [];
  for (let at = 0; at < row.length; ) {
    const value = row[at] ?? "_";
    let next = at + 1;
    while (row[next] === value) next += 1;
    const more = next - at - 1;
    parts.push(more === 0 ? value : value === "_" ? `_x${more + 1}` : `${value}x${more}`);
    at = next;
  }
  return parts.join(" ");
}

/** When an alert first fired, and when last; in seconds since the first scrape. */
export interface Fired {
  alert: string;
  first: number;
  last: number;
}

const ALERTS = 'ALERTS{alertstate="firing",alertname!="PlumblineWatchdog"}';
/** What tells an alert from others of its name. */
const LABELS = ["alertname", "severity", "canary", "promise", "fault", "unit", "outcome"];

/** `aheadMs`: how far the probe's clock is ahead of Prometheus's. */
export async function firedBy(
  scrapes: Scrapes,
  processStartMs: number,
  aheadMs: number,
): Promise<readonly Fired[]> {
  const startSeconds = Math.round((processStartMs - aheadMs) / 1_000) + EVERY_SECONDS;
  const { seconds } = scrapes;
  const over = `(timestamp(${ALERTS})[${seconds}s:${EVERY_SECONDS}s]) - ${startSeconds}`;
  // promtool prints what it did not expect.
  const asked = ["min", "max"].map((which) => ({
    expr: `${which}_over_time${over}`,
    eval_time: `${seconds}s`,
    exp_samples: [],
  }));
  const groups = rulesOfHours();
  const test = {
    start_timestamp: new Date(startSeconds * 1_000).toISOString().replace(".000", ""),
    interval: `${EVERY_SECONDS}s`,
    input_series: scrapes.series(processStartMs),
    promql_expr_test: asked,
  };
  const file = {
    rule_files: ["rules.yaml"],
    evaluation_interval: `${EVERY_SECONDS}s`,
    group_eval_order: groups.map(({ name }) => name),
    tests: [test],
  };
  const files = { "rules.yaml": stringify({ groups }, WIDE), "test.yaml": stringify(file, WIDE) };
  const { exitCode, said } = await promtool(["test", "rules", "test.yaml"], files);
  if (exitCode === 0) return [];
  const [first, last] = ["min", "max"].map((which) => answersTo(which, said));
  if (first === undefined || last === undefined || first.size === 0) throw new Error(said);
  return [...first].map(([alert, at]) => ({ alert, first: at, last: last.get(alert) ?? at }));
}

const WIDE = { lineWidth: 0 } as const;

/** What reads days costs most of the time, and an incident of an hour is not its matter. */
function rulesOfHours() {
  const { groups } = parse(RULES) as { groups: { name: string; rules: Rule[] }[] };
  const isOfDays = ({ record = "", labels }: Rule) => {
    return /\dd$/.test(record) || /d$/.test(labels?.long_window ?? "");
  };
  const kept = groups.map((group) => ({
    ...group,
    rules: group.rules.filter((rule) => !isOfDays(rule)),
  }));
  return kept.filter(({ rules }) => rules.length > 0);
}

function answersTo(which: string, said: string): ReadonlyMap<string, number> {
  const from = said.indexOf(`${which}_over_time`);
  const answer =
    said
      .slice(from)
      .split(/\n\s*got:/)[1]
      ?.split(/\n\s*expr:/)[0] ?? "";
  const found = new Map<string, number>();
  for (const [, labels = "", value] of answer.matchAll(/\{([^}]*)\} (-?[\d.E+]+)/g)) {
    const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const alert = LABELS.map(label).filter(Boolean).join(" ");
    const earlier = found.get(alert) ?? Number(value);
    found.set(
      alert,
      which === "min" ? Math.min(earlier, Number(value)) : Math.max(earlier, Number(value)),
    );
  }
  return found;
}
