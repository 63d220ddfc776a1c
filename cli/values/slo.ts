/** Reads the objectives of `--slo`: "p95<2s,queue-p99<5s,errors<1%". */

import type { CapacityObjective, ObjectiveFigure } from "../../capacity/options.ts";
import { OBJECTIVE_FIGURES } from "../../capacity/options.ts";
import { DURATION_FORM, parseDuration } from "./duration.ts";
import type { OptionReader } from "./option-reader.ts";

const TERM = /^(?:([a-z]+)-)?(p50|p90|p95|p99)<(.+)$/;
const ERRORS = /^errors<(\d+(?:\.\d+)?)(%?)$/;
const EXPECTED = `expected terms such as p95<2s, queue-p99<5s, errors<1%`;

export function readSlo(options: OptionReader, text: string): CapacityObjective[] {
  return text.split(",").flatMap((part) => readTerm(options, part.replace(/\s+/g, "")));
}

function readTerm(options: OptionReader, term: string): CapacityObjective[] {
  const errors = ERRORS.exec(term);
  if (errors !== null) {
    const belowShare = Number(errors[1]) / (errors[2] === "%" ? 100 : 1);
    if (belowShare <= 1) return [{ kind: "errors", belowShare, text: term }];
    options.problem(`--slo: "${term}" allows more errors than requests; expected up to 100%`);
    return [];
  }
  const [, figureText = "latency", quantile = "", bound = ""] = TERM.exec(term) ?? [];
  const figure = OBJECTIVE_FIGURES.find((each) => each === figureText);
  const belowMs = parseDuration(bound);
  if (quantile === "") options.problem(`--slo: "${term}" is not an objective; ${EXPECTED}`);
  else if (figure === undefined) unknownFigure(options, term, figureText);
  else if (belowMs === null || belowMs === 0) {
    options.problem(`--slo: invalid value "${bound}" in "${term}"; expected ${DURATION_FORM}`);
  } else {
    const q = Number(quantile.slice(1)) / 100;
    return [{ kind: "quantile", figure, q, belowMs, text: term }];
  }
  return [];
}

function unknownFigure(options: OptionReader, term: string, figure: string): void {
  const names: readonly ObjectiveFigure[] = OBJECTIVE_FIGURES;
  const expected = `expected one of: ${names.join(", ")}`;
  options.problem(`--slo: unknown figure "${figure}" in "${term}"; ${expected}`);
}
