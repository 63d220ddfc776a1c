/**
 * One step of a capacity search: offers jobs, or requests to a read endpoint, at one rate, and
 * tells what came of them. `plumbline capacity` chooses the rates and judges the figures.
 *
 * Runs under stock k6 2.x with a plan that holds a `capacity` order:
 *   PLUMBLINE_PLAN=plan.json k6 run scenarios/capacity.ts
 * Keys are read from the environment variables that the plan names. Judges no promise: its one
 * piece of evidence is a measurement, on the console.
 */

import { k6Capacity } from "./world/k6-capacity.ts";

const test = k6Capacity();

export const { options, handleSummary } = test;
// An export of that name must be a function, whatever this step offers.
export const setup = () => test.setup?.();
export default test.run;
