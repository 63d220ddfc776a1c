/** The probe as a program of the simulation: one loop, on the suite's machine, with a disk. */

import { DatabaseSync } from "node:sqlite";
import { createTables } from "../probe/journal/file.ts";
import type { Journal, JournalOptions } from "../probe/journal/journal.ts";
import { journalOn } from "../probe/journal/journal.ts";
import type { OpenReceiver } from "../probe/operation/webhooks/delivery-desk.ts";
import { TOKEN_PREFIX } from "../probe/operation/webhooks/delivery-desk.ts";
import type { ProbePorts } from "../probe/ports.ts";
import { uuid } from "./chance.ts";
import type { CrashPlan } from "./crash-plan.ts";
import type { ClientRequest } from "./http.ts";
import { ask } from "./http.ts";
import { Program } from "./machine.ts";
import { nodeClient } from "./node-client.ts";
import { probeClock } from "./probe-clock.ts";
import type { Scene } from "./scene.ts";
import { placeReceiver, toService } from "./scene.ts";

/**
 * Processor time of the probe's one loop, in ms: a timer, a message of the receiver's thread, a
 * commit with its sync to disk. Ours: a poll takes 0.1 ms of Node, and a sync to a solid disk 1 ms.
 */
const COST = {
  timer: 0.01,
  message: 0.05,
  commit: 1,
  send: 0.06,
  receive: 0.04,
  receiveChars: 0.02 / 1_000,
} as const;

/** Where the probe keeps its journal. */
export interface ProbeStorage {
  openJournal(options: JournalOptions): Journal;
  /** What the journal holds; it is open until it is left. */
  database(): DatabaseSync;
  leave(): void;
}

/**
 * The journal's database is one in memory: its file is the matter of other tests, and a sync to a
 * real disk for each of a day's commits would take longer than all the rest.
 */
class Memory extends DatabaseSync implements ProbeStorage {
  constructor() {
    super(":memory:");
    createTables(this);
    this.exec("PRAGMA foreign_keys = ON");
  }

  openJournal(options: JournalOptions): Journal {
    return journalOn(this, "/nowhere", { ...options, record: null });
  }

  database(): DatabaseSync {
    return this;
  }

  /** What the probe leaves is still to be read. */
  override close(): void {}

  leave(): void {
    super.close();
  }
}

export function inMemory(): ProbeStorage {
  return new Memory();
}

const NEVER = new Promise<never>(() => {});

/**
 * Each life draws names of its own. After `crash` nothing of this process runs, nothing is sent,
 * and nobody receives for it.
 */
export function startProbeProcess(
  scene: Scene,
  storage: ProbeStorage,
  { crash, life }: { crash: CrashPlan | null; life: number } = { crash: null, life: 0 },
): ProbePorts {
  const program = new Program(scene.suite);
  void crash?.over.then(() => {
    program.kill();
    scene.receiver = null;
  });
  const ids = scene.chance(`names of runs ${life}`);
  return {
    clock: clockOf(program),
    random: scene.chance(`canaries ${life}`),
    newId: () => uuid(ids),
    // The machine stalls, but does not sleep, and nobody sets its clock.
    watchMachine: () => () => {},
    skippedMs: () => 0,
    createClient: (baseUrl, { connectionAgeMsMax }) => {
      const route = toService(scene, connectionAgeMsMax ?? undefined);
      const send = (request: ClientRequest) =>
        crash?.isOver ? NEVER : ask(program, COST, route, request);
      return nodeClient({ baseUrl, nowMs: () => program.nowMs(), ask: send });
    },
    openReceiver: async (webhook, secrets) => {
      placeReceiver(scene, { webhook, secrets, tokenPrefix: TOKEN_PREFIX });
      return receiverOf(scene, program);
    },
    openJournal: (options) => storage.openJournal(options),
  };
}

/** Calls wait for the program's loop, and for its machine. */
function clockOf(program: Program): ProbePorts["clock"] {
  const { clock } = program.machine;
  const call = (atMs: number, costMs: number, callback: () => void) => {
    let isOff = false;
    const callOff = clock.at(atMs, () => {
      program.enqueue(costMs, () => {
        if (!isOff) callback();
      });
    });
    return () => {
      isOff = true;
      callOff();
    };
  };
  return probeClock({
    nowMs: () => program.nowMs(),
    callAt: (atMs, callback) => call(atMs, COST.timer, callback),
    soon: (callback) => call(program.nowMs(), COST.commit, callback),
  });
}

/** The receiver in its thread, as messages of it reach the probe's loop. */
function receiverOf({ receiver }: Scene, program: Program): OpenReceiver {
  if (receiver === null) throw new Error("no receiver was placed");
  const told = <Value>(value: Value): Promise<Value> =>
    new Promise((resolve) => program.enqueue(COST.message, () => resolve(value)));
  return {
    publicUrl: receiver.access.publicUrl,
    arrivals: async (query) => told(await receiver.arrivals(query)),
    forget: async (tokens) => receiver.forget(tokens),
    stats: () => told(receiver.stats()),
    close: async () => {},
  };
}
