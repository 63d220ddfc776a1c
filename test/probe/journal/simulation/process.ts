/** One life of the probe on virtual time: its real runs and journal, until a crash freezes it. */

import type { Delivery } from "../../../../contract/jobs/delivery.ts";
import type { Target } from "../../../../contract/target.ts";
import { Secret } from "../../../../contract/text/secret.ts";
import type { Client } from "../../../../http/client.ts";
import { canariesOf } from "../../../../probe/canary/canary.ts";
import { createPacedClient } from "../../../../probe/client/paced-client.ts";
import { Pacer } from "../../../../probe/client/pacer.ts";
import type { Clock } from "../../../../probe/clock.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import type { Journal } from "../../../../probe/journal/journal.ts";
import { journalOn } from "../../../../probe/journal/journal.ts";
import { newPriceList } from "../../../../probe/operation/costs/price-list.ts";
import { Fleet } from "../../../../probe/operation/fleet.ts";
import { Knowledge } from "../../../../probe/operation/knowledge.ts";
import { MachineLag } from "../../../../probe/operation/machine-lag.ts";
import type { Parts } from "../../../../probe/operation/runs/run.ts";
import type { DeliveryDesk } from "../../../../probe/operation/webhooks/delivery-desk.ts";
import type { CrashPlan } from "../../../../simulation/crash-plan.ts";
import { probeClock } from "../../../../simulation/probe-clock.ts";
import type { VirtualClock } from "../../../../simulation/virtual-clock.ts";
import { pro } from "../../../gate/base-target.ts";
import { arrived } from "../../../receiver/arrived.ts";
import type { Chance } from "./chance.ts";
import type { Disk } from "./disk.ts";
import type { SimulatedJob, SimulatedService } from "./service.ts";
import { deliveryBody } from "./service.ts";

/** What the processes of one history share. */
export interface World {
  time: VirtualClock;
  chance: Chance;
  disk: Disk;
  service: SimulatedService;
  target: Target;
  observe: (event: ProbeEvent) => void;
  /** Called when an identifier is known to be on disk. */
  acknowledge: (runId: string, jobId: string) => void;
}

const NEVER = new Promise<never>(() => {});

export class SimulatedProcess {
  readonly #world: World;
  readonly #crash: CrashPlan;
  readonly #watchers = new Map<string, (delivery: Delivery) => void>();
  readonly journal: Journal;
  readonly #fleet: Fleet;

  constructor(world: World, crash: CrashPlan) {
    this.#world = world;
    this.#crash = crash;
    this.journal = this.#journal();
    const random = () => world.chance.random();
    this.#fleet = new Fleet(this.#parts(), random);
    this.#fleet.use(world.target);
    this.#fleet.resume(canariesOf(world.target));
  }

  get isOver(): boolean {
    return this.#crash.isOver;
  }

  start(): void {
    this.#fleet.start();
  }

  crash(): void {
    this.#crash.end();
  }

  deliver(token: string, job: SimulatedJob): boolean {
    const watcher = this.#watchers.get(token);
    if (this.isOver || watcher === undefined) return false;
    watcher(deliveryOf(token, job, this.#world.time.nowMs()));
    return true;
  }

  #emit(event: ProbeEvent): void {
    if (!this.isOver) this.#world.observe(event);
  }

  #journal(): Journal {
    const { disk, target, acknowledge } = this.#world;
    const journal = journalOn(disk.forProcess(this.#crash), "/nowhere", {
      baseUrl: target.baseUrl,
      clock: this.#clock(),
      redact: (text) => text,
      onFailure: (what, why) => this.#emit({ type: "journal-failed", what, why }),
      onRecovered: () => this.#emit({ type: "journal-recovered" }),
      record: null,
    });
    const accept: Journal["accept"] = async (runId, jobId, ...rest) => {
      await journal.accept(runId, jobId, ...rest);
      if (!this.isOver) acknowledge(runId, jobId);
    };
    return new Proxy(journal, {
      get: (of, name: keyof Journal) => {
        if (name === "accept") return accept;
        const member = of[name];
        return typeof member === "function" ? member.bind(of) : member;
      },
    });
  }

  #parts(): Parts {
    const { target } = this.#world;
    const clock = this.#clock();
    const emit = (event: ProbeEvent) => this.#emit(event);
    const client = createPacedClient({
      traceOf: null,
      client: this.#client(),
      key: { name: "probe", value: new Secret("k") },
      pacer: new Pacer(pro("probe"), 1),
      clock,
      emit,
    });
    return {
      target,
      clock,
      newId: () => this.#world.chance.uuid(),
      client,
      journal: this.journal,
      desk: target.webhook === null ? null : this.#desk(),
      knowledge: new Knowledge(),
      prices: newPriceList(),
      lag: new MachineLag(clock, async () => [], 10),
      emit,
      requestsPerJob: 6,
      signal: new AbortController().signal,
    };
  }

  #clock(): Clock {
    const { time } = this.#world;
    const callAt: Clock["callAt"] = (atMs, callback) =>
      time.at(atMs, () => !this.isOver && callback());
    const nowMs = () => time.nowMs();
    return probeClock({ nowMs, callAt, soon: (callback) => callAt(nowMs(), callback) });
  }

  /** After the crash nothing is sent, and answers under way are heard by nobody. */
  #client(): Client {
    return {
      send: (request) => {
        if (this.isOver) return NEVER;
        return new Promise((resolve) => {
          this.#world.service.request(request, (exchange) => {
            if (!this.isOver) resolve(exchange);
          });
        });
      },
      close: async () => {},
    };
  }

  #desk(): DeliveryDesk {
    return {
      listening: true,
      publicUrl: "http://probe",
      isReached: true,
      doubtReach: () => {},
      wasAwaySince: () => true,
      newToken: () => `probe-${Math.floor(this.#world.chance.random() * 2 ** 32)}`,
      urlOf: (token) => token,
      watch: (token, onDelivery) => {
        this.#watchers.set(token, onDelivery);
        return () => void this.#watchers.delete(token);
      },
      start: () => {},
      lags: async () => [],
      close: async () => {},
    };
  }
}

function deliveryOf(token: string, job: SimulatedJob, arrivedAtMs: number): Delivery {
  return arrived({ token, attempt: 1, arrivedAtMs, body: deliveryBody(job, arrivedAtMs) });
}
