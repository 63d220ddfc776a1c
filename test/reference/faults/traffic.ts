/** Random traffic of a client, by its own names and habits, on a service that is spied on. */

import { setImmediate } from "node:timers/promises";
import type { Variant } from "../../../contract/states.ts";
import { createKeys, type ReferenceKey } from "../../../reference/accounts/keys.ts";
import type { Worker } from "../../../reference/catalogue/worker.ts";
import { WORKERS } from "../../../reference/catalogue/workers.ts";
import { closable } from "../../../reference/clock.ts";
import { createCore, type ReferenceCore } from "../../../reference/core.ts";
import type { Fault } from "../../../reference/faults/fault.ts";
import type { Job } from "../../../reference/jobs/job.ts";
import { fillOptions } from "../../../reference/options.ts";
import { splitTarget } from "../../../reference/request-target.ts";
import { type FakeClock, fakeClock } from "../../probe/fake-clock.ts";
import { type Random, seededRandom } from "../../probe/tracker/random.ts";
import { type Record, spyOn, type Where } from "./spied-faults.ts";

export interface Client {
  variant: Variant;
  seed: number;
  /** Put before the names of workers and keys, texts, addresses and the user agent. */
  prefix: string;
  /** So many jobs in place of one, and so many times the time between requests. */
  jobs: number;
  waits: number;
  /** Requests in another order. */
  shuffled: boolean;
  requests: number;
}

const KINDS = ["submit", "read", "read", "read", "cancel", "wrong", "list", "stranger"] as const;
/** Ours: about 20 jobs a second, as in a soak. */
const GAP_MS = 6;

export async function watch(faults: readonly Fault[], client: Client): Promise<Record> {
  const clock = fakeClock();
  const [spy, record] = spyOn(faults, circumstancesOn(clock));
  const caller = new Caller(client, spy, clock);
  const kinds = Array.from(
    { length: client.requests },
    (_, n) => KINDS[n % KINDS.length] ?? "read",
  );
  if (client.shuffled) shuffle(kinds, caller.random);
  for (const kind of kinds) {
    clock.advance(-Math.log(1 - caller.random()) * GAP_MS * client.waits);
    caller.ask(kind);
    await setImmediate();
  }
  caller.core.close();
  return record;
}

class Caller {
  readonly core: ReferenceCore;
  readonly random: Random;
  private readonly client: Client;
  private readonly workers: readonly Worker[];
  private readonly keys: readonly ReferenceKey[];
  private readonly issued: { id: string; key: ReferenceKey }[] = [];
  private readonly connections = [{}, {}, {}];

  constructor(client: Client, spy: Fault, clock: FakeClock) {
    const { prefix, seed, variant } = client;
    const post = seededRandom(seed + 1);
    this.client = client;
    this.random = seededRandom(seed);
    this.workers = WORKERS.map((worker) => ({ ...worker, id: `${prefix}${worker.id}` }));
    this.keys = createKeys(1).map((key) => ({ ...key, name: `${prefix}${key.name}` }));
    this.core = createCore({
      options: fillOptions({ variant, timeScale: 0.02, faults: [spy.name] }),
      faults: [spy],
      clock: closable(clock),
      random: seededRandom(seed + 2),
      keys: this.keys,
      workers: this.workers,
      post: async () => ({ status: post() < 0.5 ? 200 : 500, cause: "answered" }),
      baseUrl: () => "http://core.test",
    });
  }

  ask(kind: (typeof KINDS)[number]): void {
    const one = this.pick(this.issued.slice(-30));
    if (kind === "submit" || kind === "wrong") {
      for (let n = 0; n < this.client.jobs; n += 1) this[kind]();
    } else if (kind === "list") this.list();
    else if (kind === "stranger") this.stranger();
    else if (one !== undefined)
      this.call(kind === "read" ? "GET" : "DELETE", `jobs/${one.id}`, one.key);
  }

  private submit(): void {
    const key = this.pick(this.keys.filter(({ state }) => state === "active"));
    const worker = this.pick(this.workers);
    if (key === undefined || worker === undefined) return;
    const { prefix } = this.client;
    const webhook = this.random() < 0.5 ? { webhook: `http://${prefix}hook.test/` } : {};
    const priority = this.random() < 0.5 ? { priority: "normal" } : {};
    const body = { ...inputOf(worker, prefix), ...webhook, ...priority };
    const answer = this.call("POST", `workers/${worker.id}/jobs`, key, JSON.stringify(body));
    const { job_uuid, job_id } = answer as { job_uuid?: string; job_id?: string };
    const id = job_uuid ?? job_id;
    if (id !== undefined) this.issued.push({ id, key });
  }

  private wrong(): void {
    const key = this.pick(this.keys);
    const worker = this.pick(this.workers);
    const body = this.pick(["{", "[1]", "{}", '{"text":1,"seconds":"x","title":""}', "3"]);
    if (key !== undefined) this.call("POST", `workers/${worker?.id}/jobs`, key, body);
  }

  private list(): void {
    const key = this.pick(this.keys);
    const { prefix } = this.client;
    const queries = [
      "workers",
      "workers?category=data",
      "workers?q=quick",
      `workers/${prefix}echo`,
    ];
    const targets = [...queries, "workers/nix", "jobs", "jobs/nix", "me", "me/credits"];
    const target = this.pick([...targets, "me/deployments"]);
    if (key !== undefined && target !== undefined) this.call("GET", target, key);
  }

  private stranger(): void {
    const target = this.pick(["me", "jobs", "me/credits", "workers/x", "jobs/x"]) ?? "me";
    const revoked = this.keys.find(({ state }) => state === "revoked") ?? null;
    this.call("GET", target, this.random() < 0.5 ? null : revoked);
  }

  private call(method: string, target: string, key: ReferenceKey | null, body = ""): unknown {
    const name = this.pick(["x-api-key", "X-Api-Key", "X-API-KEY"]) ?? "";
    const agent = ["User-Agent", `${this.client.prefix}agent`];
    return this.core.handle({
      method,
      ...splitTarget(`/v1/${target}`),
      body,
      rawHeaders: key === null ? agent : [...agent, name, key.value],
      connection: this.pick(this.connections) ?? {},
    }).answer.body;
  }

  private pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.random() * items.length)];
  }
}

/** What the worker's schema asks for; the text is the client's own. */
function inputOf({ inputSchema }: Worker, prefix: string): object {
  const values = { text: `${prefix}hello`, seconds: 30, title: `${prefix}Report`, events: 3 };
  const required = inputSchema.required as readonly (keyof typeof values)[];
  return Object.fromEntries(required.map((name) => [name, values[name]]));
}

function shuffle(items: unknown[], random: Random): void {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [items[at], items[other]] = [items[other], items[at]];
  }
}

/** What a service may go by: what is asked, what came of it, how old it is; never who asks. */
function circumstancesOn(clock: FakeClock) {
  const refusals = new Map<string, number>();
  return (_hook: string, value: unknown, context: readonly unknown[]): Where => {
    const facts = [value, ...context].filter(isFields);
    const job = facts.flatMap((each) => [each, each.job].filter(isJob))[0];
    const told = facts.flatMap((each) => {
      const { route } = isFields(each.request) ? each.request : each;
      return [each.reason, each.refusal, each.admitted, each.number, each.status, route];
    });
    const key = facts.find((each) => "sustained" in each && "name" in each);
    const names = key === undefined ? [] : [String(key.account), String(key.name)];
    const refused = names.map((name) => ageOf(clock, refusals.get(name) ?? null));
    if (facts[0]?.admitted === false) {
      for (const name of names) refusals.set(name, clock.nowMs());
    }
    const age = ageOf(clock, job?.finishedAtMs ?? null);
    const stratum = [...told, job?.state, age, ...refused].filter((each) => each !== undefined);
    return { stratum: stratum.join(" "), thing: job ?? {} };
  };
}

/** In steps of 0.4 s, which is as fine as a fault looks. */
function ageOf(clock: FakeClock, sinceMs: number | null): number | undefined {
  return sinceMs === null ? undefined : Math.min(5, Math.floor((clock.nowMs() - sinceMs) / 400));
}

function isFields(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function isJob(value: unknown): value is Job {
  return isFields(value) && "holdsSlot" in value;
}
