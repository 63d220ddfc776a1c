/** Shows how a run goes: a few lines rewritten on a terminal, one line an event elsewhere. */

import { nowMs } from "../../clock/system-clock.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { GateEvent } from "../../gate/options.ts";
import { cut, oneLine } from "../../report/text.ts";
import type { Output } from "../output.ts";

export interface Progress {
  /** A step before or after the runs themselves. */
  step(text: string): void;
  event(event: GateEvent): void;
  /** Leaves the screen to whoever writes next. */
  end(): void;
}

interface Run {
  startedMs: number;
  text: string;
  seen: Record<Verdict, number>;
}

/** Ours: often enough to look alive, rarely enough to cost nothing. */
const REDRAW_MS = 250;

/** A signal that stops the run is told here, as nobody else knows which lines are rewritten. */
export function createProgress(output: Output, signal: AbortSignal): Progress {
  const progress = output.talk.live ? new LiveProgress(output) : new PlainProgress(output);
  const tell = () => progress.step("stopping; press Ctrl-C again to stop at once");
  signal.addEventListener("abort", tell, { once: true });
  return progress;
}

class PlainProgress implements Progress {
  readonly #output: Output;
  readonly #last = new Map<string, string>();

  constructor(output: Output) {
    this.#output = output;
  }

  step(text: string): void {
    this.#output.say(`${oneLine(text)}\n`);
  }

  event(event: GateEvent): void {
    const text = eventText(event);
    if (text === null || this.#last.get(event.run) === text) return;
    this.#last.set(event.run, text);
    this.#output.say(`${oneLine(`${event.run}: ${text}`)}\n`);
  }

  end(): void {}
}

/** Of the findings only the broken ones are news; the report tells the others. */
function eventText(event: GateEvent): string | null {
  switch (event.type) {
    case "run-started":
      return "started";
    case "progress":
      return event.text;
    case "finding":
      return brokenText(event);
    case "run-ended":
      return `${event.outcome} after ${event.seconds.toFixed(0)} s`;
  }
}

function brokenText({ finding }: Extract<GateEvent, { type: "finding" }>): string | null {
  return finding.verdict === "broken" ? `BROKEN ${finding.promise}: ${finding.summary}` : null;
}

class LiveProgress implements Progress {
  readonly #output: Output;
  readonly #runs = new Map<string, Run>();
  readonly #timer: NodeJS.Timeout;
  #drawnLines = 0;

  constructor(output: Output) {
    this.#output = output;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  step(text: string): void {
    this.#above(oneLine(text));
  }

  event(event: GateEvent): void {
    const run = this.#runs.get(event.run) ?? newRun();
    this.#runs.set(event.run, run);
    if (event.type === "progress") run.text = event.text;
    if (event.type === "finding") {
      run.seen[event.finding.verdict] += 1;
      const text = brokenText(event);
      if (text !== null) this.#above(oneLine(text));
    }
    if (event.type !== "run-ended") return;
    this.#runs.delete(event.run);
    this.#above(`${event.run}: ${eventText(event)}, ${counts(run)}`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  /** A line that stays, above those that are rewritten. */
  #above(line: string): void {
    this.#erase();
    this.#output.say(`${line}\n`);
    this.#draw();
  }

  #draw(): void {
    this.#erase();
    const nameWidth = Math.max(0, ...[...this.#runs.keys()].map((name) => name.length));
    const lines = [...this.#runs].map(([name, run]) => {
      const seconds = ((nowMs() - run.startedMs) / 1_000).toFixed(0).padStart(3);
      const line = `${name.padEnd(nameWidth)} ${seconds} s  ${counts(run)}  ${oneLine(run.text)}`;
      return cut(line.trimEnd(), this.#output.talk.width - 1);
    });
    this.#output.say(lines.map((line) => `${line}\n`).join(""));
    this.#drawnLines = lines.length;
  }

  #erase(): void {
    // Cursor up so many lines, then clear to the end of the screen. Source: ECMA-48 CUU, ED.
    if (this.#drawnLines > 0) this.#output.say(`\u001b[${this.#drawnLines}A\u001b[J`);
    this.#drawnLines = 0;
  }
}

function newRun(): Run {
  const seen = { kept: 0, broken: 0, inconclusive: 0, unobserved: 0 };
  return { startedMs: nowMs(), text: "", seen };
}

function counts({ seen }: Run): string {
  return `${seen.kept} kept, ${seen.broken} broken`;
}
