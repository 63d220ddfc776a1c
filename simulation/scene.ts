/** What the suite's programs meet in the simulation: machine, network, service, receiver. */

import type { WebhookTarget } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { withSecrets } from "../receiver/options.ts";
import type { Fault } from "../reference/faults/fault.ts";
import type { GivenOptions } from "../reference/options.ts";
import type { Draw } from "./chance.ts";
import { stream } from "./chance.ts";
import type { Route } from "./http.ts";
import { Machine } from "./machine.ts";
import { ConnectionPool, hostOf, Network } from "./network.ts";
import type { ServiceSetup, SimulatedService } from "./service.ts";
import { openService } from "./service.ts";
import { staleViews, withStaleViews } from "./stale-views.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { poster } from "./webhook-post.ts";
import { SimulatedReceiver } from "./webhook-receiver.ts";
import type { Surroundings } from "./worlds.ts";
import { SURROUNDINGS } from "./worlds.ts";

export interface Setting extends Pick<ServiceSetup, "keys" | "workers"> {
  seed: number;
  surroundings?: Surroundings;
  service?: GivenOptions;
  /** Faults that are not in the catalogue; switched on by name like others. */
  otherFaults?: readonly Fault[];
  /** Opens a service other than the reference one; `service` and `otherFaults` are not its. */
  openService?: (setup: ServiceSetup) => SimulatedService;
}

export interface Scene {
  clock: VirtualClock;
  chance: (name: string) => Draw;
  /** The machine of the suite's own programs. */
  suite: Machine;
  network: Network;
  service: SimulatedService;
  /** null until somebody opens it. */
  receiver: SimulatedReceiver | null;
}

/** When each run begins: any fixed time will do. */
const START_MS = Date.UTC(2026, 0, 1, 12, 0, 0);

export function openScene(setting: Setting): Scene {
  const { seed, surroundings = SURROUNDINGS.quiet, otherFaults = [] } = setting;
  const { clockOffsetMs, clockDrift, viewLagMsMax, senderWaysMs } = surroundings;
  const clock = new VirtualClock(START_MS + (seed % 1_000));
  const chance = (name: string) => stream(seed, name);
  const network = new Network(clock, surroundings.network, chance("network"));
  const machine = new Machine(clock, surroundings.service, chance("service's machine"));
  const senders = { machine, waysMs: senderWaysMs, draw: chance("webhook senders") };
  const service = (setting.openService ?? openService)({
    ...(setting.keys === undefined ? {} : { keys: setting.keys }),
    ...(setting.workers === undefined ? {} : { workers: setting.workers }),
    given: withStaleViews({ seed, ...setting.service }, viewLagMsMax),
    otherFaults: [...otherFaults, staleViews(chance("replicas"), viewLagMsMax)],
    machine,
    clockOffsetMs,
    clockDrift,
    draw: chance("service"),
    post: poster(network, senders, () => scene.receiver),
    host: hostOf(surroundings.network, "service"),
  });
  const suite = new Machine(clock, surroundings.suite, chance("suite's machine"));
  const scene: Scene = { clock, chance, suite, network, service, receiver: null };
  return scene;
}

interface Wanted {
  webhook: WebhookTarget;
  secrets: Secrets;
  tokenPrefix: string;
}

/** A receiver on the suite's machine; from now on the service's webhooks go there. */
export function placeReceiver(
  scene: Scene,
  { webhook, secrets, tokenPrefix }: Wanted,
): SimulatedReceiver {
  const host = hostOf(scene.network.model, "receiver");
  const signature = withSecrets(webhook.signature, secrets);
  const receiver = new SimulatedReceiver(scene.suite, { host, tokenPrefix, signature });
  scene.receiver = receiver;
  return receiver;
}

/** A client's way to the service, with connections of its own. */
export function toService({ network, service }: Scene, connectionAgeMsMax?: number): Route {
  const pool = new ConnectionPool(network, connectionAgeMsMax);
  return { network, pool, serve: service.serve };
}
