/** Values as texts in their units, near to how Grafana tells them. */

import type { Color, Panel, Shown, Unit } from "../../../dashboards/boards/panel.ts";

/** Grafana's palette of the dark theme. */
export const COLORS: Readonly<Record<Color, string>> = {
  green: "#73bf69",
  yellow: "#f2cc0c",
  orange: "#ff9830",
  red: "#f2495c",
  blue: "#5794f2",
  gray: "#8e8e9a",
  transparent: "#d8d9da",
};

const STEPS: Readonly<Partial<Record<Unit, readonly (readonly [number, string, number])[]>>> = {
  s: [
    [3_600, " h", 3_600],
    [60, " min", 60],
    [1, " s", 1],
    [0, " ms", 0.001],
  ],
  bytes: [
    [1e9, " GB", 1e9],
    [1e6, " MB", 1e6],
    [1e3, " kB", 1e3],
    [0, " B", 1],
  ],
  short: [
    [1e6, " Mil", 1e6],
    [1e4, " K", 1e3],
    [0, "", 1],
  ],
};

export function spell(value: number, unit: Unit, decimals?: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "no limit" : "no value";
  if (unit === "percentunit") return `${rounded(value * 100, decimals ?? 1)} %`;
  if (unit === "dateTimeFromNow") return age(value);
  if (unit === "reqps") return `${rounded(value, decimals ?? 2)} req/s`;
  const step = STEPS[unit]?.find(([from]) => Math.abs(value) >= from);
  if (step === undefined) return rounded(value, decimals ?? 2);
  return `${rounded(value / step[2], decimals ?? 2)}${step[1]}`;
}

function rounded(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

function age(ms: number): string {
  const seconds = Math.round((ms - Date.now()) / 1_000);
  const text = spell(Math.abs(seconds), "s", 0);
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

/** Text and colour of a value: by what it is shown as, else by its steps. */
export function shownAs(value: number, panel: Panel): Shown & { color: Color } {
  const mapped = panel.shown?.[String(value)];
  const steps = panel.steps ?? ["green"];
  const [first, ...rest] = steps;
  const reached = rest.filter(([from]) => value >= from).at(-1)?.[1] ?? first;
  const text = mapped?.text ?? spell(value, panel.unit, panel.decimals);
  return { text, color: mapped?.color ?? reached };
}
