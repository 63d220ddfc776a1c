/**
 * Plots as static SVG, drawn by Observable Plot in a light DOM when the report is written. So the
 * page needs no script: it shows its plots in a mail, on paper, and where scripts are forbidden, as
 * CI servers do for files of a build. Colours are variables of the page's style, which knows dark,
 * light and print. Each plot is drawn twice, for a wide column and for a phone, as a drawing that is
 * merely shrunk has letters that nobody can read; the style shows one of them.
 */

import type { Markish, PlotOptions } from "@observablehq/plot";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { Markup } from "./markup.ts";

/** Ours: pixels of a whole column, of one of two columns, and of a phone of 390 px. */
const WIDTHS = { whole: 1_040, half: 510, narrow: 350 } as const;
/** Of names inside of a plot, so that lines behind do not cross them out. */
export const HALO = { stroke: "var(--plot-background)", strokeWidth: 4 } as const;

export type PlotSize = "whole" | "half";

/** Where figures are put: apart from those of other runs, and in how wide a column. */
export interface Layout {
  idPrefix: string;
  size: PlotSize;
}

/** What a plot may lay out differently on a phone. */
export interface Frame {
  width: number;
  isNarrow: boolean;
}

export interface Drawing extends Omit<PlotOptions, "marks" | "width"> {
  marks: readonly Markish[];
}

/** `label` is what a screen reader says of the picture; the figures are in the table behind it. */
export function drawn(size: PlotSize, label: string, draw: (frame: Frame) => Drawing): Markup {
  const pictures = [
    picture({ width: WIDTHS[size], isNarrow: false }, label, draw),
    picture({ width: WIDTHS.narrow, isNarrow: true }, label, draw),
  ];
  return new Markup(pictures.join(""));
}

function picture(frame: Frame, label: string, draw: (frame: Frame) => Drawing): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const { marks, ...options } = draw(frame);
  const svg = Plot.plot({
    document,
    width: frame.width,
    marginLeft: 48,
    marginRight: 16,
    marginBottom: 42,
    ...options,
    className: "plot",
    style: { fontSize: "12px" },
    marks: [...marks],
  });
  for (const style of svg.querySelectorAll("style")) style.remove();
  // Names of groups, which a screen reader does not reach within a picture.
  for (const group of svg.querySelectorAll("g")) group.removeAttribute("aria-label");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("class", frame.isNarrow ? "plot narrow" : "plot wide");
  return shortNumbers(svg.outerHTML);
}

/** Ours: a tenth of a pixel is finer than a printer draws. */
function shortNumbers(svg: string): string {
  return svg.replace(/="[^"]*\d\.\d{2,}[^"]*"/g, (attribute) =>
    attribute.replace(/-?\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10)),
  );
}
