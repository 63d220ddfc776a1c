/** Reads `--trace [url]`: whether requests carry a trace, and where the service shows it. */

import { TRACE_ID_HERE } from "../../contract/requests/trace.ts";
import type { Target } from "../../contract/target.ts";
import type { GateSubject } from "../subject/subject.ts";
import type { OptionReader } from "./option-reader.ts";

/** `true`: the option without an address. */
export type TraceFlag = boolean | string | undefined;

const EXAMPLE = `https://jaeger.example.com/trace/${TRACE_ID_HERE}`;

/** null: no traces were asked for. */
export function readTrace(flag: TraceFlag, options: OptionReader): Target["trace"] {
  if (flag === undefined || flag === false) return null;
  if (flag === true) return { url: null };
  options.httpUrl("--trace", flag.replaceAll(TRACE_ID_HERE, "id"), EXAMPLE);
  if (!flag.includes(TRACE_ID_HERE)) {
    options.problem(`--trace: "${flag}" has no ${TRACE_ID_HERE}; expected it, as in ${EXAMPLE}`);
  }
  return { url: flag };
}

/** The subject, whose requests carry traces where they were asked for. */
export function traced(subject: GateSubject, trace: Target["trace"]): GateSubject {
  return { ...subject, target: { ...subject.target, trace: trace ?? null } };
}
