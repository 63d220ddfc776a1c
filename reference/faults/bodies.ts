/** Bodies that a service lets pass, told by what is wrong with them. */

import type { BodyProblem } from "../catalogue/validation.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";

/** Lets bodies of that problem pass, where worker and text are such; left out: all of them. */
export const letting =
  (problem: BodyProblem, when: (text: string, worker: Worker) => boolean = () => true) =>
  (): Partial<Hooks> => ({
    bodyProblem: (given, worker, { body }) =>
      given === problem && when(body, worker) ? null : given,
  });

/** Lets bodies pass that have such a field; what is no object has none. */
export const lettingField = (
  is: (value: unknown, name: string) => boolean,
  problem: BodyProblem = "schema-violation",
) =>
  letting(problem, (text) =>
    Object.entries(JSON.parse(text) as object).some(([name, value]) => is(value, name)),
  );
