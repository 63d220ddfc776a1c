/** Where the command line writes: results to stdout, talk to stderr, secrets nowhere. */

import type { WriteStream } from "node:tty";

import { jsonText } from "../report/text.ts";
import type { Environment } from "../runner/executables.ts";

export interface Output {
  /** A result: what a program or a pipe reads. */
  result(text: string): void;
  /** Anything said to a person. */
  say(text: string): void;
  /** Colour and width of what is said, and whether lines of it can be rewritten. */
  readonly talk: Style;
  readonly results: Style;
  /** From now on these values are blanked in everything that is written. */
  hide(redact: (text: string) => string): void;
}

export interface Style {
  color: boolean;
  width: number;
  live: boolean;
  /** True for a pipe or file: nobody's screen is too narrow, so that no text is shortened. */
  whole: boolean;
}

/** Ours: lines for a file or a CI log, which tells no width. */
const DEFAULT_WIDTH = 100;

export function createOutput(environment: Environment): Output {
  let redact = (text: string): string => text;
  return {
    result: (text) => void process.stdout.write(redact(text)),
    say: (text) => void process.stderr.write(redact(text)),
    talk: styleOf(process.stderr, environment),
    results: styleOf(process.stdout, environment),
    hide: (hideSecrets) => {
      redact = hideSecrets;
    },
  };
}

/**
 * Where the text of a result goes: to stdout. With --json stdout is given the value, at once, and
 * the text goes to stderr.
 */
export function resultWriter(output: Output, json: boolean, value: unknown) {
  if (!json) return { write: (text: string) => output.result(text), style: output.results };
  output.result(jsonText(value));
  return { write: (text: string) => output.say(text), style: output.talk };
}

/** A positive whole number, as POSIX.1 §8.3 has it, of at most four digits; 0: none is given. */
function columnsIn({ COLUMNS = "" }: Environment): number {
  return /^\d{1,4}$/.test(COLUMNS) ? Number(COLUMNS) : 0;
}

/**
 * NO_COLOR: no-color.org. FORCE_COLOR: as Node reads it. COLUMNS counts where no terminal tells its
 * own. A CI log has no lines to rewrite.
 */
function styleOf(stream: WriteStream, environment: Environment): Style {
  const asked = columnsIn(environment);
  const isTerminal = stream.isTTY === true && environment.TERM !== "dumb";
  const forced = (environment.FORCE_COLOR ?? "0") !== "0";
  const refused = (environment.NO_COLOR ?? "") !== "";
  return {
    color: !refused && (isTerminal || forced),
    // A terminal that does not know its width says 0.
    width: stream.columns || asked || DEFAULT_WIDTH,
    live: isTerminal && (environment.CI ?? "") === "",
    whole: stream.isTTY !== true && asked === 0,
  };
}
