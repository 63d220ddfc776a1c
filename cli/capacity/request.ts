/** Reads the flags of `plumbline capacity`, and what they mean for a target. */

import type {
  CapacityObjective,
  CapacityOptions,
  ObjectiveFigure,
} from "../../capacity/options.ts";
import { OBJECTIVE_FIGURES } from "../../capacity/options.ts";
import { activeByRate } from "../../contract/plans.ts";
import { CAPACITY_ENDPOINTS, CAPACITY_SUBJECTS } from "../../contract/run/capacity-step.ts";
import type { PlanKey, WorkerPart } from "../../contract/run/run-plan.ts";
import { PARTS } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { SubjectChoice, SubjectFlags } from "../subject/subject.ts";
import { readSubject } from "../subject/subject.ts";
import { UsageError } from "../usage-error.ts";
import { DURATION_FORM, parseDuration } from "../values/duration.ts";
import { didYouMean } from "../values/nearest.ts";
import { OptionReader } from "../values/option-reader.ts";
import { readRemoteWrite } from "../values/remote-write.ts";

export interface CapacityFlags extends SubjectFlags {
  of: string;
  slo?: string;
  part?: string;
  endpoint?: string;
  keys?: string;
  startRate: string;
  maxRate: string;
  beyondPlan: boolean;
  unpaced: boolean;
  connections?: string;
  step: string;
  time: string;
  report: string;
  seed?: string;
  prometheusRw?: string;
  json: boolean;
}

export type CapacityRequest = Pick<
  CapacityOptions,
  | "of"
  | "endpoint"
  | "objectives"
  | "startRate"
  | "maxRate"
  | "beyondPlan"
  | "stepMs"
  | "timeMs"
  | "seed"
  | "remoteWrite"
> & {
  part: (typeof PARTS)[number];
  /** Connections up to which an unpaced search goes; null for a paced one. */
  connectionsMax: number | null;
};

/** Ours: a job that ends at all keeps it; an answer to a read is for somebody who waits. */
const SLO_DEFAULT = { jobs: "errors<1%", requests: "p95<500ms,errors<1%" } as const;
/** Ours: shorter steps see too few jobs, longer ones belong into a soak. */
const STEP_MS = { min: 3_000, max: 30 * 60_000 };
const TIME_MS = { min: 20_000, max: 6 * 3_600_000 };
/** Ours: on the embedded service the default search finds an edge, at 50 jobs a second. */
const EMBEDDED_CONCURRENCY = 20;

export async function readRequest(flags: CapacityFlags): Promise<{
  request: CapacityRequest;
  choice: SubjectChoice;
}> {
  const options = new OptionReader();
  const of = options.oneOf("--of", flags.of, CAPACITY_SUBJECTS) ?? "jobs";
  const maxRate = options.rate("--max-rate", flags.maxRate);
  const startRate = options.rate("--start-rate", flags.startRate);
  const seed = options.seed(flags.seed);
  const request: CapacityRequest = {
    of,
    endpoint: options.oneOf("--endpoint", flags.endpoint ?? "me", CAPACITY_ENDPOINTS) ?? "me",
    part: options.oneOf("--part", flags.part ?? "success", PARTS) ?? "success",
    objectives: readSlo(options, flags.slo ?? SLO_DEFAULT[of]),
    startRate,
    maxRate,
    beyondPlan: flags.beyondPlan,
    stepMs: readStep(flags.step, options),
    timeMs: readDuration(options, "--time", flags.time, TIME_MS),
    seed,
    remoteWrite: readRemoteWrite(flags.prometheusRw, options),
    connectionsMax: readConnections(options, flags),
  };
  if (startRate > maxRate && maxRate > 0) {
    options.problem(`--start-rate: ${startRate} is above --max-rate; expected up to ${maxRate}`);
  }
  refuseFiguresOfJobs(request, options);
  refuseUnused(flags, options);
  const choice = await readSubject(flags, { profile: "standard", seed }, options);
  options.finish();
  return { request, choice: withConcurrency(choice) };
}

/** A request has one time, from its start to its answer. */
function refuseFiguresOfJobs({ of, objectives }: CapacityRequest, options: OptionReader): void {
  if (of === "jobs") return;
  for (const each of objectives) {
    if (each.kind === "errors" || each.figure === "latency") continue;
    const expected = "expected terms such as p95<500ms beside --of requests";
    options.problem(`--slo: "${each.text}" is about jobs; ${expected}`);
  }
}

/** Options that would change nothing: whoever sets them means another search. */
function refuseUnused(flags: CapacityFlags, options: OptionReader): void {
  const { of, part, endpoint, unpaced, connections } = flags;
  if (of === "jobs" && endpoint !== undefined) {
    options.problem("--endpoint is about requests; expected --of requests beside it");
  }
  if (of === "requests" && part !== undefined) {
    options.problem("--part is about jobs; expected none beside --of requests");
  }
  if (!unpaced && connections !== undefined) {
    options.problem("--connections is about --unpaced; expected that beside it");
  }
}

/** Ours: beyond that a Node process measures itself. */
const CONNECTIONS_MAX = 1_000;

function readConnections(options: OptionReader, flags: CapacityFlags): number | null {
  const { unpaced, of, beyondPlan, connections = "64", prometheusRw } = flags;
  if (!unpaced) return null;
  if (of !== "requests") options.problem("--unpaced counts requests; expected --of requests");
  if (!beyondPlan) {
    options.problem("--unpaced knows no rate, and so no plan; expected --beyond-plan beside it");
  }
  if (prometheusRw !== undefined) {
    options.problem("--prometheus-rw sends what k6 measures; expected none beside --unpaced");
  }
  const count = options.atLeastOne("--connections", connections);
  if (count <= CONNECTIONS_MAX) return count;
  options.problem(`--connections: ${count} is too many; expected up to ${CONNECTIONS_MAX}`);
  return CONNECTIONS_MAX;
}

function withConcurrency(choice: SubjectChoice): SubjectChoice {
  if (choice.kind === "file") return choice;
  return { ...choice, options: { ...choice.options, concurrency: EMBEDDED_CONCURRENCY } };
}

export function readStep(text: string, options: OptionReader): number {
  return readDuration(options, "--step", text, STEP_MS);
}

function readDuration(
  options: OptionReader,
  name: string,
  text: string,
  { min, max }: { min: number; max: number },
): number {
  return options.duration(name, text, min, max, `, from ${min / 1_000}s to ${max / 1_000}s`);
}

/** The named keys, or the one whose plan has most room. Throws UsageError for an unknown one. */
export function chooseKeys(list: string | undefined, { keys }: Target): readonly PlanKey[] {
  if (list === undefined) {
    const [widest] = activeByRate(keys);
    if (widest !== undefined) return [widest];
    throw new UsageError("invalid-target-file", ["keys: none is active; expected at least one"]);
  }
  const active = keys.filter(({ state }) => state === "active");
  const names = active.map(({ name }) => name);
  const asked = [...new Set(list.split(",").map((name) => name.trim()))];
  const problems = asked
    .filter((name) => !names.includes(name))
    .map((name) => {
      const expected = `expected active ones of: ${names.join(", ")}`;
      return `--keys: unknown key "${name}"${didYouMean(name, names)}; ${expected}`;
    });
  if (problems.length > 0) throw new UsageError("invalid-option", problems);
  return active.filter(({ name }) => asked.includes(name));
}

/** Worker of the part; null where requests are counted. Throws UsageError where there is none. */
export function chooseWorker(
  { of, part }: Pick<CapacityRequest, "of" | "part">,
  { workers }: Target,
): WorkerPart | null {
  if (of === "requests") return null;
  const worker = workers[part];
  if (worker !== undefined) return worker;
  const expected = `expected one of: ${Object.keys(workers).join(", ")}`;
  throw new UsageError("invalid-option", [
    `--part: the target file has no worker for "${part}"; ${expected}`,
  ]);
}

const TERM = /^(?:([a-z]+)-)?(p50|p90|p95|p99)<(.+)$/;
const ERRORS = /^errors<(\d+(?:\.\d+)?)(%?)$/;
const EXPECTED = `expected terms such as p95<2s, queue-p99<5s, errors<1%`;

/** Reads the objectives of `--slo`: "p95<2s,queue-p99<5s,errors<1%". */
function readSlo(options: OptionReader, text: string): CapacityObjective[] {
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
