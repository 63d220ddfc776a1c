/** Reads `--label name=value`: what a caller names a run or a probe by. */

import type { OptionReader } from "./option-reader.ts";

export type Labels = Readonly<Record<string, string>>;

/** Source: Prometheus data model; names that begin with two underscores are its own. */
const NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;
/** Ours: a commit, a stage, the address of a pipeline; longer ones are no names of anything. */
const VALUE = /^[^\p{Cc}]{1,200}$/u;

/** `reserved`: labels that exist already, which another value would falsify. */
export function readLabels(
  option: string,
  texts: readonly string[],
  reserved: readonly string[],
  options: OptionReader,
): Labels {
  const labels: Record<string, string> = {};
  for (const text of texts) {
    const [name = "", ...rest] = text.split("=");
    const value = rest.join("=");
    const problem = problemOf(name, rest.length === 0 ? null : value, reserved, labels);
    if (problem === null) labels[name] = value;
    else options.problem(`${option}: "${text}" ${problem}`);
  }
  return labels;
}

function problemOf(
  name: string,
  value: string | null,
  reserved: readonly string[],
  labels: Labels,
): string | null {
  if (value === null || !NAME.test(name))
    return "is not a label; expected name=value such as commit=4f1c9e2";
  if (!VALUE.test(value))
    return "has no valid value; expected name=value, with 1 to 200 printable characters";
  if (reserved.includes(name)) return `would replace a label that exists already; rename "${name}"`;
  return Object.hasOwn(labels, name) ? `names "${name}" a second time; expected it once` : null;
}

/** Labels of k6's own series. Source: k6 documentation, "System tags"; the first three are ours. */
export const LABELS_OF_K6: readonly string[] = [
  ..."run scenario step check error error_code expected_response group ip iter method".split(" "),
  ..."name ocsp_status proto rpc_type service status subproto tls_version url vu".split(" "),
];
