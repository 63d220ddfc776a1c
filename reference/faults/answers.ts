/** Bends answers: small functions that most faults of HTTP behaviour are made of. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import type { Hooks } from "../hooks.ts";
import type { Answer, AnswerContext, Reason } from "../http.ts";

export type Fields = Readonly<Record<string, unknown>>;

export type Which = (context: AnswerContext) => boolean;

/** Hooks that bend the answers that `which` picks, and no others. */
export function onAnswer(
  which: Which,
  bend: (answer: Answer, context: AnswerContext) => Answer,
): Partial<Hooks> {
  return { answer: (answer, context) => (which(context) ? bend(answer, context) : answer) };
}

/** Hooks that rewrite the JSON object of the answers that `which` picks. */
export function onBody(
  which: Which,
  bend: (body: Fields, context: AnswerContext) => unknown,
): Partial<Hooks> {
  return onAnswer(which, (answer, context) =>
    isObject(answer.body) ? { ...answer, body: bend(answer.body, context) } : answer,
  );
}

export function because(...reasons: Reason[]): Which {
  return ({ reason }) => reasons.includes(reason);
}

/** What one endpoint answers for that reason. */
export function at(route: RouteName, wanted: Reason): Which {
  return ({ reason, request }) => reason === wanted && request.route === route;
}

export const accepted = because("accepted");

/** What all of these pick, asked in turn. */
export function all(...which: Which[]): Which {
  return (context) => which.every((each) => each(context));
}

/** Answers for that reason, or that are picked, with another status. */
export function answering(which: Reason | Which, status: number): () => Partial<Hooks> {
  const picked = typeof which === "string" ? because(which) : which;
  return () => onAnswer(picked, withStatus(status));
}

export function withStatus(status: number): (answer: Answer) => Answer {
  return (answer) => ({ ...answer, status });
}

/** The fields without those of the given names. */
export function without(fields: Fields, ...names: string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** How the variant of a job object calls its identifier, its worker and its result. */
export const idField = (job: Fields) => ("job_id" in job ? "job_id" : "job_uuid");
export const workerField = (job: Fields) => ("worker_id" in job ? "worker_id" : "worker");
export const resultField = (job: Fields) => ("output" in job ? "output" : "result");

/** The object in a field, or an empty one. */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}
