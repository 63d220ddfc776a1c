/**
 * A whole gate run in one process on virtual time: planning, scenarios, receiver and service are
 * the real ones; k6, network, machines and chance are models. Same seed, same run.
 */

import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunResult } from "../contract/run/run-result.ts";
import { shardsOf } from "../contract/run/shards.ts";
import type { Target, WebhookTarget } from "../contract/target.ts";
import { Secret, type Secrets } from "../contract/text/secret.ts";
import type { EvidenceSink } from "../gate/evidence-file.ts";
import { runGate } from "../gate/gate.ts";
import type { GateOptions, GateScenario } from "../gate/options.ts";
import type { GatePorts, ScenarioOrder } from "../gate/ports.ts";
import type { OpenReceiver } from "../gate/webhook-receiver.ts";
import { openReceiver as openRealReceiver } from "../gate/webhook-receiver.ts";
import type { ScenarioRun } from "../runner/scenario-process.ts";
import { SCENARIOS } from "../scenarios/catalogue.ts";
import type { Route, Serve } from "./http.ts";
import { originOf } from "./http.ts";
import type { K6Process } from "./k6-process.ts";
import { CORES, startK6 } from "./k6-process.ts";
import type * as K6Scenarios from "./k6-scenarios.ts";
import { ConnectionPool, LOOPBACK, Network } from "./network.ts";
import type { Scene, Setting } from "./scene.ts";
import { openScene, placeReceiver, toService } from "./scene.ts";
import { simulatedNet } from "./witness-net.ts";
import type { Surroundings } from "./worlds.ts";
import { SURROUNDINGS } from "./worlds.ts";

export interface Simulation extends Setting {
  profile?: GateOptions["profile"];
  only?: GateOptions["only"];
  /** Changes the embedded service's own target. */
  target?: (target: Target) => Target;
  /** How much later each virtual user of a load begins; Infinity: never. Left out: none is late. */
  userStartsMs?: readonly number[];
  /** The scenarios' code; left out: loaded into a context that has no more than k6 has. */
  scenarios?: () => Promise<typeof K6Scenarios>;
  onPlanned?: GateOptions["onPlanned"];
  /** Takes what a gate writes to its file of evidence. */
  record?: EvidenceSink;
  /** Scenarios judge what they observe, before the gate does. Left out: the gate alone. */
  judgesTwice?: boolean;
}

/** Loaded once a process, which takes about 0.1 s; nothing in scenarios outlives a run. */
let loaded: Promise<typeof K6Scenarios> | null = null;

async function asK6(): Promise<typeof K6Scenarios> {
  loaded ??= import("./k6-context.ts").then(({ loadAsK6 }) => loadAsK6("k6-scenarios.ts"));
  return await loaded;
}

/** Ours: longer than any profile; a run that takes longer hangs. */
const LIMIT_MS = 4 * 3_600_000;
/** With capitals, as base64url of a real one has. */
const TOKEN_PREFIX = "Run-of-a-Simulation-";

export async function simulateGate(simulation: Simulation): Promise<RunResult> {
  const { seed, profile = "standard", only = null } = simulation;
  const k6: typeof K6Scenarios = await (simulation.scenarios ?? asK6)();
  const scene: GateScene = Object.assign(openScene(simulation), {
    k6,
    k6Started: 0,
    userStartsMs: simulation.userStartsMs ?? [],
    judgesTwice: simulation.judgesTwice ?? false,
  });
  const { target: embedded, secrets } = scene.service.target();
  const target = withObjective(embedded, simulation.surroundings ?? SURROUNDINGS.quiet);
  const options: GateOptions = {
    target: withMarkForms(simulation.target?.(target) ?? target),
    secrets,
    profile,
    only,
    seed,
    outputDir: "",
    k6: { path: "", version: "simulated" },
    scenarios: scenariosOf(),
    machine: { name: "machine", script: "machine", promises: [], jobs: 0 },
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: simulation.onPlanned ?? (() => {}),
  };
  return await scene.clock.run(runGate(options, portsOf(scene, simulation.record)), LIMIT_MS);
}

/** The forms of marks that the preflight would find: marked fields take any text, if long. */
export function withMarkForms(target: Target): Target {
  const parts = Object.entries(target.workers);
  const workers = Object.fromEntries(
    parts.map(([part, worker]) => [
      part,
      { ...worker, markTail: true as const, markLong: true as const },
    ]),
  );
  return { ...target, workers };
}

function withObjective(target: Target, { errorShareMax }: Surroundings): Target {
  const { load } = target;
  if (load === null) return target;
  const objectives = { ...load.objectives, errorShare: errorShareMax };
  return { ...target, load: { ...load, objectives } };
}

interface GateScene extends Scene {
  /** The code that k6 runs. */
  k6: typeof K6Scenarios;
  k6Started: number;
  userStartsMs: readonly number[];
  judgesTwice: boolean;
}

function portsOf(scene: GateScene, record: EvidenceSink | undefined): GatePorts {
  const { clock, suite, service } = scene;
  return {
    nowMs: () => clock.nowMs(),
    cores: CORES,
    openReceiver: async (target, secrets) =>
      target.webhook === null
        ? openRealReceiver(target, secrets)
        : openReceiver(scene, target.webhook, secrets),
    runScenario: (order) => runToEnd(scene, order, startScenario(scene, order)),
    net: simulatedNet(suite, toService(scene), service),
    ...(record === undefined ? {} : { record }),
  };
}

function openReceiver(scene: Scene, webhook: WebhookTarget, secrets: Secrets): OpenReceiver {
  const receiver = placeReceiver(scene, { webhook, secrets, tokenPrefix: TOKEN_PREFIX });
  return {
    access: receiver.access,
    secrets: new Map([
      [receiver.access.querySecretEnv, new Secret("a simulated receiver asks for no more")],
    ]),
    missing: null,
    isSurelyReached: true,
    hasDelivery: async (token) => (await receiver.deliveries(token)).length > 0,
    hasVouchedDelivery: (token) => receiver.hasVouched(token),
    turnedAway: async () => 0,
    close: async () => {},
  };
}

function startScenario(
  scene: GateScene,
  { scenario, plan, secrets, onRecord }: ScenarioOrder,
): Running {
  const { suite, chance } = scene;
  scene.k6Started += 1;
  const draw = chance(`k6 ${scene.k6Started}`);
  const records: EvidenceRecord[] = [];
  const setup = {
    machine: suite,
    draw,
    environment: secrets,
    onRecord(record: EvidenceRecord) {
      records.push(record);
      onRecord(record);
    },
  };
  const count = shardsOf(scenario.name, plan);
  const users = Array.from({ length: count }, (_, index) =>
    startK6({ ...setup, routes: routesOf(scene), shard: { index, count } }),
  );
  return { users, records };
}

/** A k6 of one or several virtual users, and what they have left so far. */
interface Running {
  users: readonly K6Process[];
  records: readonly EvidenceRecord[];
}

function routesOf(scene: GateScene): ReadonlyMap<string, Route> {
  const { clock, chance, receiver, service } = scene;
  const routes = new Map([[originOf(service.baseUrl), toService(scene)]]);
  if (receiver !== null) {
    const network = new Network(clock, LOOPBACK, chance("loopback"));
    const serve: Serve = (request, reply) => receiver.query(request, reply);
    routes.set(receiver.access.queryUrl, { network, pool: new ConnectionPool(network), serve });
  }
  return routes;
}

function scenariosOf(): readonly GateScenario[] {
  return SCENARIOS.map(({ name, promises, jobs }) => ({ name, script: name, promises, jobs }));
}

/** Ends as k6 does: by itself, or killed when its time is over. */
async function runToEnd(
  { k6, clock, userStartsMs, judgesTwice }: GateScene,
  { scenario, plan: asked, timeLimitMs, signal }: ScenarioOrder,
  { users, records }: Running,
): Promise<ScenarioRun> {
  const startMs = clock.nowMs();
  const named = k6.scenarioNamed(scenario.name);
  const { isJudgedByReader: _, ...watched } = asked;
  const plan = judgesTwice ? watched : asked;
  const runs = users.map(async ({ world }, at) => {
    const lateMs = userStartsMs[at] ?? 0;
    if (lateMs > 0) await clock.sleep(lateMs);
    await k6.runScenario(named, world, plan);
  });
  const work = Promise.all(runs).then(() => "ended" as const);
  const { promise: over, resolve } = Promise.withResolvers<"timed-out" | "interrupted">();
  const callOff = clock.after(timeLimitMs, () => resolve("timed-out"));
  const interrupt = () => resolve("interrupted");
  signal.addEventListener("abort", interrupt);
  const end = await Promise.race([work, over]);
  callOff();
  // Node keeps a composed signal, and the whole run with it, for as long as anyone listens.
  signal.removeEventListener("abort", interrupt);
  if (end !== "ended") for (const { kill } of users) kill();
  return {
    exitCode: end === "ended" ? 0 : null,
    timedOut: end === "timed-out",
    interrupted: end === "interrupted",
    outgrown: false,
    records,
    dropped: 0,
    stderrTail: "",
    durationMs: clock.nowMs() - startMs,
  };
}
