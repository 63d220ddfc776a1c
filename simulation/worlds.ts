/**
 * The surroundings in which a run can happen, by name. Sizes are those of the machines and paths
 * that such names stand for; the suite has to give the same verdicts in all of them.
 */

import type { MachineModel } from "./machine.ts";
import { IDLE_MACHINE } from "./machine.ts";
import type { NetworkModel } from "./network.ts";
import { LOOPBACK } from "./network.ts";

export interface Surroundings {
  /** Where gate, k6 and receiver run. */
  suite: MachineModel;
  service: MachineModel;
  network: NetworkModel;
  /** The service's clock stands so far off the suite's, and runs so much faster (0: true). */
  clockOffsetMs: number;
  clockDrift: number;
  /** How far the views of single jobs may lag behind, at the most; 0: views are true. */
  viewLagMsMax: number;
  /** How much further away each machine is that sends webhooks; they take turns by chance. */
  senderWaysMs: readonly number[];
  /** Objective that an operator sets here: a client can't tell resets on the way from others. */
  errorShareMax: number;
}

/** Suite and service alone on one machine each, side by side. */
const QUIET: Surroundings = {
  suite: IDLE_MACHINE,
  service: IDLE_MACHINE,
  network: LOOPBACK,
  clockOffsetMs: 0,
  clockDrift: 0,
  viewLagMsMax: 0,
  senderWaysMs: [0],
  errorShareMax: 0,
};

export const SURROUNDINGS = {
  quiet: QUIET,
  /** A CI runner with neighbours, on a network of a building. */
  office: {
    ...QUIET,
    suite: { ...IDLE_MACHINE, stallEveryMs: 4_000, stallMs: [20, 100] },
    network: { ...LOOPBACK, oneWayMs: 0.8, jitterMs: 0.5, loss: 0.01, handshakes: 2 },
    senderWaysMs: [0, 1],
    clockOffsetMs: 40,
  },
  /** Another continent, over HTTP/2; views from replicas, webhooks from two places. */
  far: {
    ...QUIET,
    network: { ...LOOPBACK, oneWayMs: 65, jitterMs: 25, handshakes: 3, isHttp2: true },
    clockOffsetMs: -250,
    clockDrift: 2e-5,
    viewLagMsMax: 1_000,
    senderWaysMs: [0, 60],
  },
  /** Both cores of the suite's machine are taken by others. */
  busy: {
    ...QUIET,
    suite: { stallEveryMs: 1_500, stallMs: [5, 60], slowness: 2.5, waitMs: 3 },
    service: { ...IDLE_MACHINE, slowness: 2, waitMs: 2 },
  },
  /** All of it at once, and worse. */
  storm: {
    suite: { stallEveryMs: 1_000, stallMs: [50, 400], slowness: 3, waitMs: 5 },
    service: { stallEveryMs: 3_000, stallMs: [20, 150], slowness: 2, waitMs: 3 },
    network: {
      oneWayMs: 20,
      jitterMs: 20,
      loss: 0.03,
      resets: 0.001,
      handshakes: 3,
      isHttp2: false,
      slowBodies: { share: 0.01, ms: [50, 400] },
    },
    clockOffsetMs: 900,
    clockDrift: -5e-5,
    viewLagMsMax: 1_500,
    senderWaysMs: [0, 30, 150],
    errorShareMax: 0.005,
  },
  /** A starved machine that stands still for a second, and a path that loses one request in 20. */
  pressure: {
    ...QUIET,
    suite: { stallEveryMs: 10_000, stallMs: [900, 1_100], slowness: 4, waitMs: 8 },
    network: { ...LOOPBACK, oneWayMs: 5, jitterMs: 5, loss: 0.05, resets: 0.05, handshakes: 2 },
    errorShareMax: 0.1,
  },
} as const satisfies Readonly<Record<string, Surroundings>>;

export type SurroundingsName = keyof typeof SURROUNDINGS;

export const ALL_SURROUNDINGS_NAMES = Object.keys(SURROUNDINGS) as readonly SurroundingsName[];

/** Those that most runs come to; `pressure` is for who asks for it by name. */
export const SURROUNDINGS_NAMES = ALL_SURROUNDINGS_NAMES.filter((name) => name !== "pressure");
