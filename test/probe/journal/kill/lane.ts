/** One service and one journal: a probe that is killed again and again, and what is left of it. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { embeddedTarget } from "../../../../reference/embedded-target.ts";
import type { ReferenceService } from "../../../../reference/service.ts";
import { startReference } from "../../../../reference/service.ts";
import { bigKey } from "../../../reference/big-key.ts";
import type { Chance } from "../simulation/chance.ts";
import { damage, leavesTrace } from "./damage.ts";
import type { ChildOrders } from "./orders.ts";
import { killPlan } from "./orders.ts";
import type { LaneReport } from "./report.ts";
import { compare, readAccount, readRuns } from "./report.ts";

const CHILD = join(import.meta.dirname, "child.ts");
/** Some of the kills hit the start, and most of them runs in all their phases. */
const START_SHARE = 0.15;
const START_MS = 250;
const LIFE_MS = 800;
/** Ours: from a probe's start to its first word on two idle cores. */
const USUAL_FIRST_WORD_MS = 300;
/** Share of the stated time in which the service's jobs run. */
const TIME_SCALE = 0.05;

export interface LanePlan {
  kills: number;
  /** Share of the restarts before which the journal's files are harmed. */
  damageShare: number;
  /** Jobs that the budget allows; null: more than there will be. */
  ceilingJobs: number | null;
}

export async function killInLane(
  { kills, damageShare, ceilingJobs }: LanePlan,
  chance: Chance,
): Promise<LaneReport> {
  const service = await startReference({ timeScale: TIME_SCALE, choices: { jobsEntries: "full" } });
  const stateDir = await mkdtemp(join(tmpdir(), "plumbline-probe-kill-"));
  const lane = new Lane(service, stateDir, ceilingJobs);
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      await lane.liveAndDie(chance);
      if (chance.happens(damageShare)) lane.harm(chance);
    }
    await lane.drain();
    return { kills, ...lane.report() };
  } finally {
    await service.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}

class Lane {
  readonly #service: ReferenceService;
  readonly #stateDir: string;
  readonly #ceilingJobs: number | null;
  /** Run by job, of all jobs that the service has ever listed; "" before it is known. */
  readonly #jobs = new Map<string, string>();
  /** How often the verdict of a run was told. */
  readonly #told = new Map<string, number>();
  #recovered = 0;
  /** Jobs and verdicts of before a damage: the journal may not know of them any more. */
  readonly #former = new Set<string>();
  readonly #damages: string[] = [];
  #accepted = 0;
  /** Jobs that a person has left out of the account, or of a journal that left no trace. */
  #forgiven = 0;
  #accepts = false;
  readonly #problems: string[] = [];

  /** As the account once had as many jobs as the budget allows. */
  #isReached = false;
  #killsSinceReached = 0;
  /** How much longer than usual a start takes: what is done in a life takes as much longer. */
  #slowness = 1;

  constructor(service: ReferenceService, stateDir: string, ceilingJobs: number | null) {
    this.#service = service;
    this.#stateDir = stateDir;
    this.#ceilingJobs = ceilingJobs;
  }

  async liveAndDie(chance: Chance): Promise<void> {
    const before = this.#jobs.size;
    const startedAtMs = performance.now();
    const child = this.#spawn(false);
    const exited = once(child, "exit") as Promise<[number | null, string | null]>;
    const inStart = chance.happens(START_SHARE);
    if (!inStart) {
      await Promise.race([once(child, "message"), exited]);
      this.#slowness = Math.max(1, (performance.now() - startedAtMs) / USUAL_FIRST_WORD_MS);
    }
    const lifeMs = chance.between(0, inStart ? START_MS : LIFE_MS) * this.#slowness;
    await new Promise((resolve) => {
      setTimeout(resolve, lifeMs);
    });
    child.kill("SIGKILL");
    const [code, signal] = await exited;
    if (signal !== "SIGKILL") throw new Error(`the probe ended by itself with ${code}`);
    if (this.#isReached) this.#killsSinceReached += 1;
    await this.#list();
    // One that was killed in its start may not have opened its journal.
    if (!inStart) this.#audit(before);
  }

  harm(chance: Chance): void {
    this.#damages.push(damage(this.#stateDir, chance));
    if (!leavesTrace(this.#stateDir)) this.#forgiven = this.#jobs.size;
    for (const name of [...this.#jobs.keys(), ...this.#told.keys()]) this.#former.add(name);
  }

  /** All that was submitted counts as spent, or the probe says that it does not know, and waits. */
  #audit(before: number): void {
    const account = readAccount(this.#stateDir);
    if (account === null) return;
    this.#isReached ||= account.charged >= (this.#ceilingJobs ?? Number.POSITIVE_INFINITY);
    const lacking = this.#jobs.size - this.#forgiven - account.charged;
    const after = `after ${this.#damages.at(-1) ?? "no damage"}`;
    if (account.isUnknown) {
      if (this.#jobs.size > before) this.#problems.push(`submitted with unknown spending ${after}`);
      this.#accepted += 1;
      // What the person accepted holds for what was harmed since, too: the account begins anew.
    } else if (lacking > 0 && !this.#accepts) {
      this.#problems.push(`${lacking} jobs are not counted ${after}`);
    }
    this.#forgiven += Math.max(0, lacking);
    this.#accepts = account.isUnknown;
  }

  /** A last probe that ends what is open and submits nothing. */
  async drain(): Promise<void> {
    const [code] = (await once(this.#spawn(true), "exit")) as [number | null];
    if (code !== 0) throw new Error(`the last probe ended with ${code}`);
    await this.#list();
    this.#audit(this.#jobs.size);
    for (const [id, run] of this.#jobs) {
      if (run === "") this.#note((await this.#get(`/v1/jobs/${id}`)) as { job_id: string });
    }
  }

  report(): Omit<LaneReport, "kills"> {
    const known = new Map([...this.#jobs].filter(([id]) => !this.#former.has(id)));
    const { problems, ...counts } = compare(readRuns(this.#stateDir), known);
    const repeated = [...this.#told].filter(([id, times]) => times > 1 && !this.#former.has(id));
    const told = repeated.map(([runId]) => `the verdict of run ${runId} was told twice`);
    return {
      ...counts,
      jobs: this.#jobs.size,
      recovered: this.#recovered,
      damages: this.#damages.length,
      accepted: this.#accepted,
      bounded: this.#ceilingJobs === null ? 0 : 1,
      reached: this.#isReached ? 1 : 0,
      killsSinceReached: this.#killsSinceReached,
      problems: [...this.#problems, ...problems, ...told, ...this.#beyondCeiling()],
    };
  }

  /** The service's own count is the truth; a ceiling that was never reached would prove nothing. */
  #beyondCeiling(): string[] {
    const ceiling = this.#ceilingJobs;
    if (ceiling === null) return [];
    const jobs = this.#jobs.size - this.#forgiven;
    return [
      ...(jobs > ceiling ? [`${jobs} jobs were accepted; the budget is ${ceiling}`] : []),
      ...(this.#isReached ? [] : [`the budget of ${ceiling} jobs was never reached`]),
    ];
  }

  #spawn(drains: boolean) {
    const { target, secrets } = embeddedTarget(this.#service);
    const orders: ChildOrders = {
      target: { ...target, ...killPlan(this.#ceilingJobs) },
      secrets: [...secrets].map(([name, secret]) => [name, secret.reveal()] as const),
      stateDir: this.#stateDir,
      drains,
      acceptsUnknownSpending: this.#accepts,
    };
    const env = {
      ...process.env,
      PROBE_ORDERS: JSON.stringify(orders),
      // A life is short: the modules are compiled once for all of them.
      NODE_COMPILE_CACHE: join(tmpdir(), "plumbline-compile-cache"),
    };
    const child = fork(CHILD, { env, stdio: ["ignore", "pipe", "inherit", "ipc"], execArgv: [] });
    let rest = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") this.#hear(line);
    });
    return child;
  }

  #hear(line: string): void {
    const { event, runId } = JSON.parse(line) as { event: string; runId: string };
    if (event === "run-recovered") this.#recovered += 1;
    if (event === "run-settled") this.#told.set(runId, (this.#told.get(runId) ?? 0) + 1);
  }

  async #list(): Promise<void> {
    const { jobs } = (await this.#get("/v1/jobs")) as { jobs: { job_id: string }[] };
    for (const job of jobs) this.#note(job);
  }

  /** The worker gives the mark back in its result, which a job has once it has ended. */
  #note(job: { job_id: string }): void {
    const known = this.#jobs.get(job.job_id);
    if (known) return;
    this.#jobs.set(job.job_id, MARK.exec(JSON.stringify(job))?.[1] ?? "");
  }

  async #get(path: string): Promise<unknown> {
    const key = bigKey(this.#service);
    const response = await fetch(this.#service.baseUrl + path, { headers: { "x-api-key": key } });
    return response.json();
  }
}

/** A run's own name, in the text that the probe gives to the worker. */
const MARK = /plumbline-([0-9a-f-]{36})/;
