/** Reads the options of `plumbline compare`: what is compared with what, and for how long. */

import { ROUNDS_MIN } from "../../capacity/compare/decision.ts";
import { BLOCKS_A_ROUND } from "../../capacity/compare/round.ts";
import type { Subject } from "../../capacity/compare/side.ts";
import { jobsPerSecond } from "../../capacity/compare/side.ts";
import type { GivenOptions } from "../../reference/options.ts";
import { readFaults } from "../subject/embedded.ts";
import type { SubjectChoice, SubjectFlags } from "../subject/subject.ts";
import { refuseShaping } from "../subject/subject.ts";
import type { OptionReader } from "../values/option-reader.ts";

export interface CompareFlags extends Omit<SubjectFlags, "target"> {
  base?: string;
  candidate?: string;
  calibrate: boolean;
  calibration?: string;
  record?: string;
  before?: readonly string[];
  after?: readonly string[];
  rate?: string;
  block: string;
  blocks: string;
  margin: string;
  report: string;
  seed?: string;
  json: boolean;
  embedded: boolean;
}

/** One side to be opened, and how it is called. */
export interface SideChoice {
  label: string;
  choice: SubjectChoice;
}

export type CompareMode =
  | { kind: "interleaved" | "calibration"; base: SideChoice; candidate: SideChoice }
  | { kind: "record"; base: SideChoice; file: string }
  | { kind: "before-after"; before: readonly string[]; after: readonly string[] };

export interface CompareRequest {
  mode: CompareMode;
  /** null: the target's own, or a default. */
  jobsPerSecond: number | null;
  blockSeconds: number;
  roundsMax: number;
  /** As a share; of what a calibration gives it is the least. */
  margin: number;
  calibrationFile: string | null;
  reportDirectory: string;
  seed: number;
}

/** Ours: jobs a second where neither --rate nor the target file says any. */
const DEFAULT_JOBS_PER_SECOND = 5;
/** Ours: a comparison of a day and a half at the default length of a block. */
const BLOCKS_MAX = 25_600;
const BLOCK_SECONDS = { min: 0.2, max: 600 };
const EMBEDDED_TIME_SCALE = "0.02";

export function readCompareRequest(flags: CompareFlags, options: OptionReader): CompareRequest {
  const seed = options.seed(flags.seed);
  return {
    mode: readMode(flags, seed, options),
    jobsPerSecond: flags.rate === undefined ? null : options.rate("--rate", flags.rate),
    blockSeconds: readBlock(flags.block, options),
    roundsMax: readBlocks(flags.blocks, options) / BLOCKS_A_ROUND,
    margin: readMargin(flags.margin, options),
    calibrationFile: flags.calibration ?? null,
    reportDirectory: flags.report,
    seed,
  };
}

/** Jobs a second, as far as the plans of all sides carry them; the first one's file may say. */
export function rateOf({ jobsPerSecond: asked }: CompareRequest, sides: readonly Subject[]) {
  const own = sides[0]?.target.load?.jobsPerSecond;
  return jobsPerSecond(asked ?? own ?? DEFAULT_JOBS_PER_SECOND, sides);
}

function readMode(flags: CompareFlags, seed: number, options: OptionReader): CompareMode {
  if (flags.before !== undefined || flags.after !== undefined) return readRecorded(flags, options);
  const embedded = readEmbedded(flags, seed, options);
  const alone = (["record", "calibrate"] as const).find((name) => flags[name]);
  if (alone !== undefined && flags.fault.length > 0) {
    options.problem(`--fault breaks a candidate; expected none beside --${alone}`);
  }
  const base = sideOf(flags.base, embedded);
  if (flags.record !== undefined) {
    refuseBeside(flags, ["candidate", "calibrate"], "--record", options);
    return { kind: "record", base, file: flags.record };
  }
  const kind = flags.calibrate ? "calibration" : "interleaved";
  const other = flags.candidate ?? (flags.calibrate ? flags.base : undefined);
  if (!flags.calibrate && (flags.base === undefined) !== (flags.candidate === undefined)) {
    options.problem("--base and --candidate belong together; expected both, or neither");
  }
  if (flags.calibrate && flags.base === undefined && flags.candidate !== undefined) {
    options.problem("--candidate beside --calibrate is an equal of --base; expected both");
  }
  if (!flags.calibrate && flags.base === undefined && flags.candidate === undefined) {
    checkEmbedded(flags, options);
  }
  const faults = readFaults(options, flags.fault, embedded.variant);
  return { kind, base, candidate: sideOf(other, { ...embedded, faults }) };
}

/** A call without any subject is a question; the answer must not be minutes of load. */
function checkEmbedded(flags: CompareFlags, options: OptionReader): void {
  const { embedded, fault, variant, timeScale } = flags;
  if (embedded || fault.length > 0 || variant !== undefined || timeScale !== undefined) return;
  const files = "--base FILE --candidate FILE to load two deployments in turns";
  const recorded = "--before FILES --after FILES for recordings";
  const own = "--embedded for two services of its own (minutes of load)";
  options.problem(
    `compare: nothing to compare is named; expected ${files}, ${recorded}, or ${own}`,
  );
}

function readRecorded(flags: CompareFlags, options: OptionReader): CompareMode {
  const { before = [], after = [] } = flags;
  if (before.length === 0 || after.length === 0) {
    options.problem("--before and --after belong together; expected files of --record for both");
  }
  const others = ["base", "candidate", "calibrate", "record", "rate", "embedded"] as const;
  refuseBeside(flags, others, "--before and --after", options);
  return { kind: "before-after", before, after };
}

function refuseBeside(
  flags: CompareFlags,
  names: readonly ("base" | "candidate" | "calibrate" | "record" | "rate" | "embedded")[],
  option: string,
  options: OptionReader,
): void {
  for (const name of names) {
    if (flags[name] === undefined || flags[name] === false) continue;
    options.problem(`--${name} has no meaning here; expected none beside ${option}`);
  }
}

type Embedded = Required<Pick<GivenOptions, "variant" | "timeScale" | "faults" | "seed">>;

/** The embedded service as a base: without faults. */
function readEmbedded(flags: CompareFlags, seed: number, options: OptionReader): Embedded {
  if (flags.base !== undefined || flags.candidate !== undefined) {
    refuseShaping(flags, "a target file", options);
  }
  const timeScale = options.timeScale(flags.timeScale ?? EMBEDDED_TIME_SCALE);
  return { variant: options.variant(flags.variant ?? "b"), timeScale, faults: [], seed };
}

/** A target file, or an embedded service made for the occasion. */
function sideOf(file: string | undefined, embedded: Embedded): SideChoice {
  if (file !== undefined) return { label: file, choice: { kind: "file", path: file } };
  const label = ["embedded service", ...embedded.faults].join(" with ");
  return { label, choice: { kind: "embedded", options: embedded } };
}

function readBlock(text: string, options: OptionReader): number {
  const { min, max } = BLOCK_SECONDS;
  const range = `, from ${min} s to ${max} s`;
  return options.duration("--block", text, min * 1_000, max * 1_000, range) / 1_000;
}

function readBlocks(text: string, options: OptionReader): number {
  const least = BLOCKS_A_ROUND * ROUNDS_MIN;
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  const isRound = count >= least && count <= BLOCKS_MAX && count % BLOCKS_A_ROUND === 0;
  const expected = `a multiple of ${BLOCKS_A_ROUND} from ${least} to ${BLOCKS_MAX}`;
  return options.possible("--blocks", text, isRound ? count : null, expected, least);
}

/** "5%" as 0.05. */
function readMargin(text: string, options: OptionReader): number {
  const match = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  const share = Number(match?.[1] ?? Number.NaN) / 100;
  const expected = 'a share such as "5%", above 0% and below 100%';
  return options.possible("--margin", text, share > 0 && share < 1 ? share : null, expected, 0.05);
}
