/** Looks up the worker of each part and holds the part's input against its published schema. */

import { isObject } from "../../contract/decode/decoded.ts";
import { flatSchema } from "../../contract/decode/flat-schema.ts";
import {
  LONG_TEXT_BYTES,
  longText,
  MARK_CHARS,
  MARK_TAIL,
  markOf,
} from "../../contract/jobs/marks.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { PlanKey, WorkerPart } from "../../contract/run/run-plan.ts";
import type { Target } from "../../contract/target.ts";
import type { Json } from "../../contract/verdict.ts";
import type { CarefulSend } from "../careful-send.ts";
import { compileSchema, inputSchemaIn, TOO_SLOW } from "../json-schema.ts";
import type { PreflightProblem } from "./problems.ts";

interface WorkerCheck {
  problems: readonly PreflightProblem[];
  notes: readonly string[];
}

interface WorkersCheck extends WorkerCheck {
  /** As they were given, with what their schemas let marks be. */
  workers: Target["workers"];
  /** By id: what was answered about each. */
  details: ReadonlyMap<string, Exchange>;
}

/** What stands in the marker field when the input is tried against the schema. */
const SAMPLE_MARK = markOf("0".repeat(MARK_CHARS));

/** Each worker is asked for once, however many parts it plays. */
export async function checkWorkers(
  send: CarefulSend,
  key: PlanKey,
  workers: Target["workers"],
): Promise<WorkersCheck> {
  const answers = new Map<string, Exchange>();
  const problems: PreflightProblem[] = [];
  const notes: string[] = [];
  const checked: Record<string, WorkerPart> = {};
  for (const [part, worker] of Object.entries(workers)) {
    const answer =
      answers.get(worker.id) ?? (await send(key, { route: "worker", parameter: worker.id }));
    answers.set(worker.id, answer);
    const found = checkPart(part, worker, answer);
    problems.push(...found.problems);
    notes.push(...found.notes);
    checked[part] = { ...worker, ...marksTaken(worker, answer) };
  }
  return { problems, notes: [...new Set(notes)], workers: checked, details: answers };
}

function checkPart(part: string, worker: WorkerPart, answer: Exchange): WorkerCheck {
  if (answer.status === 404) return problem("unknown-worker", unknownWorker(part, worker));
  const schema = inputSchemaIn(answer);
  if (schema === null) {
    return note(`worker "${worker.id}" shows no input_schema, so its input was not checked`);
  }
  const compiled = compileSchema(schema);
  const unchecked = `input of worker "${worker.id}" was not checked`;
  if (compiled.validate === null) return note(`${unchecked}: ${compiled.problem}`);
  const errors = compiled.validate(sampleInput(worker));
  if (errors === null) return note(`${unchecked}: ${TOO_SLOW}`);
  return errors.length === 0
    ? { problems: [], notes: [] }
    : problem("input-refused", refusedInput(part, worker, errors));
}

/**
 * Which marks the marker's field is shown to take: any text with a tail, and long ones, whether
 * their length is counted in characters or in bytes. A format that is unknown here may not, and a
 * pattern is searched by the service as well, which a long text may hold up.
 */
function marksTaken(worker: WorkerPart, answer: Exchange): Pick<WorkerPart, MarkForm> {
  const schema = inputSchemaIn(answer);
  const { marker } = worker;
  if (schema === null || marker === undefined) return {};
  const { properties } = flatSchema(schema);
  const field = isObject(properties) ? properties[marker] : undefined;
  if (!isObject(field) || field.format !== undefined) return {};
  const { validate } = compileSchema(schema);
  const takes = (tail: string) => validate?.(sampleInput(worker, tail))?.length === 0;
  const takesTail = [MARK_TAIL, "0".repeat(Buffer.byteLength(MARK_TAIL))].every(takes);
  if (!takesTail) return {};
  const isFree = field.pattern === undefined;
  const takesLong = isFree && ["0".repeat(LONG_TEXT_BYTES), LONG_TAIL].every(takes);
  return takesLong ? { markTail: true, markLong: true } : { markTail: true };
}

type MarkForm = "markTail" | "markLong";

const LONG_TAIL = longText(SAMPLE_MARK).slice(SAMPLE_MARK.length);

function sampleInput(worker: WorkerPart, tail = ""): Readonly<Record<string, Json>> {
  return worker.marker === undefined
    ? worker.input
    : { ...worker.input, [worker.marker]: `${SAMPLE_MARK}${tail}` };
}

function unknownWorker(part: string, worker: WorkerPart): string {
  return (
    `workers.${part}.id "${worker.id}": GET /v1/workers/${worker.id} was answered 404; ` +
    "expected a worker of the catalogue"
  );
}

function refusedInput(part: string, worker: WorkerPart, errors: readonly string[]): string {
  const mark = worker.marker === undefined ? "" : `, with a mark in "${worker.marker}",`;
  return (
    `workers.${part}.input${mark} does not fit the input_schema of worker "${worker.id}": ` +
    errors.join("; ")
  );
}

function problem(code: PreflightProblem["code"], message: string): WorkerCheck {
  return { problems: [{ code, message }], notes: [] };
}

function note(text: string): WorkerCheck {
  return { problems: [], notes: [text] };
}
