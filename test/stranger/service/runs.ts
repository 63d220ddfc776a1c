/** What a run of each worker takes, gives, and leaves behind. */

import type { Job, JobError } from "./journal.ts";
import type { Run } from "./output.ts";
import type { House } from "./ports.ts";

export interface RunPlan {
  ms: number;
  run: Run;
  error: JobError | null;
}

const EMPTY: Run = { kind: "empty", data: null, items: [], files: [] };

export function planRun(job: Job, { ports, picks }: House): RunPlan {
  const { input } = job;
  const quickMs = 200 + 500 * ports.random();
  const greeting = picks.unicodeOutput === "yes" ? "Grüße — 你好 🌍" : "greetings";
  switch (job.worker) {
    case "text-mirror":
      return { ms: quickMs, run: mirrored(input, greeting, picks), error: null };
    case "long-nap":
      return { ms: numberOf(input, "seconds") * 1_000, run: napped(input), error: null };
    case "short-fuse":
      return { ms: numberOf(input, "seconds") * 1_000, run: napped(input), error: null };
    case "always-breaks": {
      const message = typeof input.reason === "string" ? input.reason : "it broke, as it does";
      return { ms: quickMs, run: EMPTY, error: { code: "broken_by_design", message } };
    }
    case "table-maker":
      return { ms: quickMs, run: table(numberOf(input, "rows"), greeting), error: null };
    case "pdf-press":
      return { ms: quickMs, run: printed(job, greeting), error: null };
    default:
      return { ms: quickMs, run: EMPTY, error: null };
  }
}

function mirrored(input: Job["input"], greeting: string, picks: House["picks"]): Run {
  const { mirrored: kind, mirroredText } = picks;
  const text = MIRRORS[mirroredText](String(input.text));
  const data = { text, tone: input.tone ?? "plain", greeting };
  return kind === "list" ? { ...EMPTY, kind, items: [data] } : { ...EMPTY, kind, data };
}

const MIRRORS: Readonly<Record<House["picks"]["mirroredText"], (text: string) => string>> = {
  "as-sent": (text) => text,
  "in-ascii": folded,
  "without-accents": (text) => text.normalize("NFD").replaceAll(/\p{M}/gu, ""),
  "in-nfd": (text) => text.normalize("NFD"),
};

/** As workers make slugs and names of files of texts: what has no like in ASCII is left out. */
function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/[^ -~]/g, "");
}

function napped(input: Job["input"]): Run {
  return { ...EMPTY, kind: "object", data: { slept: input.seconds } };
}

function table(count: number, greeting: string): Run {
  const items = Array.from({ length: count }, (_, row) => ({ row, label: `${greeting} ${row}` }));
  return { ...EMPTY, kind: "list", items };
}

function printed({ id, input }: Job, greeting: string): Run {
  const pages = typeof input.pages === "number" ? input.pages : 1;
  const text = `${input.title}\n${`${greeting}\n`.repeat(pages)}`;
  const files = [
    { id: `${id}-f0`, name: "document.txt", contentType: "text/plain; charset=utf-8", text },
    { id: `${id}-f1`, name: "seiten übersicht.json", contentType: "application/json", text: "{}" },
  ];
  return { ...EMPTY, kind: "object", data: { pages }, files };
}

function numberOf(input: Job["input"], name: string): number {
  const value = Number(input[name] ?? 1);
  return Number.isFinite(value) ? value : 1;
}
