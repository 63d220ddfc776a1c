/** Bodies that a service lets pass, told by what is wrong with them. */

import type { BodyProblem } from "../catalogue/validation.ts";
import type { Worker } from "../catalogue/worker.ts";
import type { Hooks } from "../hooks.ts";

/** Lets bodies of that problem pass, where worker and text are such. */
export const letting =
  (problem: BodyProblem, when: (text: string, worker: Worker) => boolean) =>
  (): Partial<Hooks> => ({
    bodyProblem: (given, worker, { body }) =>
      given === problem && when(body, worker) ? null : given,
  });

/** Whether a field of the body is such; what is no object has none. */
export const hasField = (is: (value: unknown, name: string) => boolean) => (text: string) =>
  Object.entries(JSON.parse(text) as object).some(([name, value]) => is(value, name));
