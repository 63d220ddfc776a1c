/** Faults of the probe and of what it stands on: its process, disk, receiver, configuration. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { createSystemClock } from "../../../clock/system-clock.ts";
import type { Budget } from "../../../contract/run/run-plan.ts";
import type { Clock } from "../../../probe/clock.ts";
import { probeClock } from "../../../simulation/probe-clock.ts";
import { freePort } from "../../http/free-port.ts";
import type { End } from "./case-kinds.ts";
import { AN_HOUR, HALF_AN_HOUR, inAny, inWorld, MINUTE } from "./case-kinds.ts";
import type { FaultCase } from "./fault-case.ts";
import type { ProcessWorld } from "./process-world.ts";
import { openProcessWorld } from "./process-world.ts";
import { withThreads } from "./receiver-threads.ts";
import { canary, openWorld } from "./world.ts";

interface InProcess extends Omit<FaultCase, "open"> {
  begin(world: ProcessWorld): End | Promise<End>;
}

/** A fault of a probe that is a process of its own. */
function inProcess(given: InProcess): FaultCase {
  return inAny(given, false, async (folder) => {
    const world = await openProcessWorld(folder);
    await world.start();
    return { world, address: world.address };
  });
}

/** util-linux; a file that would grow beyond the limit is as good as one on a full disk. */
async function limitFiles(pid: number, bytes: string): Promise<void> {
  await promisify(execFile)("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}

/** Ours: the loop stands still for three tenths of each interval of a scrape, and more. */
const STOPPED_MS = 350;
const RUNNING_MS = 250;

function stutter(pid: number): End {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const turn = () => {
    stopped = !stopped;
    process.kill(pid, stopped ? "SIGSTOP" : "SIGCONT");
    timer = setTimeout(turn, stopped ? STOPPED_MS : RUNNING_MS);
  };
  turn();
  return () => {
    clearTimeout(timer);
    process.kill(pid, "SIGCONT");
  };
}

const PROCESSES: readonly FaultCase[] = [
  inProcess({
    id: "probe-killed",
    fault: "The probe is killed",
    raises: [{ alert: "PlumblineProbeDown", withinSeconds: 2 * MINUTE }],
    clearsSeconds: 5 * MINUTE,
    async begin(world) {
      await world.kill();
      return () => world.start();
    },
  }),
  inProcess({
    id: "probe-frozen",
    fault: "The probe hangs (SIGSTOP)",
    // Two scrapes have to run out of time first, of which they have more here than in life.
    raises: [{ alert: "PlumblineProbeDown", withinSeconds: 2 * MINUTE }],
    clearsSeconds: 4 * MINUTE,
    begin(world) {
      process.kill(world.pid(), "SIGSTOP");
      return () => process.kill(world.pid(), "SIGCONT");
    },
  }),
  inProcess({
    id: "probe-restarting",
    fault: "The probe is killed and started again three times",
    raises: [{ alert: "PlumblineProbeRestarting", withinSeconds: 10 * MINUTE }],
    // A start takes a second or more, which is as long as the alert waits.
    mayRaise: ["PlumblineProbeDown"],
    clearsSeconds: AN_HOUR,
    async begin(world) {
      for (let starts = 0; starts < 3; starts += 1) {
        await world.kill();
        await world.start();
        // Each of the starts is to be seen by a scrape.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
      return () => {};
    },
  }),
  inProcess({
    id: "journal-full",
    fault: "The journal can't be written: its disk is full",
    raises: [{ alert: "PlumblineJournalFailing", withinSeconds: 4 * MINUTE }],
    clearsSeconds: 20 * MINUTE,
    async begin(world) {
      await limitFiles(world.pid(), "1");
      return () => limitFiles(world.pid(), "unlimited");
    },
  }),
  inProcess({
    id: "bad-reload",
    fault: "A target file with an error is reloaded",
    raises: [{ alert: "PlumblineConfigStale", withinSeconds: 7 * MINUTE }],
    clearsSeconds: 2 * MINUTE,
    async begin(world) {
      await world.writeTarget(`${world.targetText}\nkanaries: []\n`);
      process.kill(world.pid(), "SIGHUP");
      return async () => {
        await world.writeTarget(world.targetText);
        process.kill(world.pid(), "SIGHUP");
      };
    },
  }),
  inProcess({
    id: "probe-overloaded",
    fault: "The probe's machine is too busy: it stalls for 0.35 s repeatedly",
    raises: [{ alert: "PlumblineProbeOverloaded", withinSeconds: 15 * MINUTE }],
    clearsSeconds: 20 * MINUTE,
    begin: (world) => stutter(world.pid()),
  }),
];

/** A clock whose calls can be held up: a schedule that stands still in a process that lives. */
function holdingClock(): Clock & { hold(held: boolean): void } {
  const clock = createSystemClock();
  let holding = false;
  let held: (() => void)[] = [];
  const callAt: Clock["callAt"] = (atMs, callback) => {
    let off = false;
    const call = () => {
      if (!off) callback();
    };
    clock.callAt(atMs, () => (holding ? held.push(call) : call()));
    return () => {
      off = true;
    };
  };
  return {
    ...probeClock({ ...clock, callAt }),
    hold(next) {
      holding = next;
      if (holding) return;
      const due = held;
      held = [];
      for (const call of due) call();
    },
  };
}

/** The only case whose world needs something from before it is opened. */
function stalled(): FaultCase {
  return {
    id: "probe-stalled",
    fault: "The probe answers scrapes, but its schedule is stuck",
    raises: [{ alert: "PlumblineProbeStalled", withinSeconds: 4 * MINUTE }],
    clearsSeconds: 3 * MINUTE,
    async open(folder) {
      const clock = holdingClock();
      const world = await openWorld(folder, { clock });
      return {
        address: new URL(world.probe.address).host,
        isShared: true,
        begin: async () => clock.hold(true),
        end: async () => clock.hold(false),
        async close() {
          clock.hold(false);
          await world.close();
        },
      };
    },
  };
}

/** What Prometheus is not told of is neither up nor down. */
function undiscovered(): FaultCase {
  return {
    id: "probe-undiscovered",
    fault: "The probe is no longer among Prometheus' targets",
    // Prometheus itself takes up to 5 s to heed its service discovery, which do not scale.
    raises: [{ alert: "PlumblineProbeAbsent", withinSeconds: 4 * MINUTE }],
    clearsSeconds: 4 * MINUTE,
    async open(folder, show) {
      const world = await openWorld(folder);
      const address = new URL(world.probe.address).host;
      return {
        address,
        isShared: true,
        begin: () => show(null),
        end: () => show(address),
        close: () => world.close(),
      };
    },
  };
}

/** The receiver's thread dies, and another program takes its port before it is opened again. */
function receiverLost(): FaultCase {
  return {
    id: "receiver-lost",
    fault: "The webhook receiver stops, and its port is in use",
    raises: [{ alert: "PlumblineReceiverLost", withinSeconds: 5 * MINUTE }],
    clearsSeconds: 3 * MINUTE,
    async open(folder) {
      const port = await freePort();
      const canaries = [canary("success", { webhook: true })];
      const opened = await withThreads(() => openWorld(folder, { webhooks: { port }, canaries }));
      const { result: world, threads } = opened;
      const stranger = createServer((socket) => socket.destroy());
      return {
        address: new URL(world.probe.address).host,
        isShared: true,
        async begin() {
          for (const thread of threads) await thread.terminate();
          stranger.listen(port, "127.0.0.1");
          await once(stranger, "listening");
        },
        async end() {
          stranger.close();
          await once(stranger, "close");
        },
        async close() {
          if (stranger.listening) stranger.close();
          await world.close();
        },
      };
    },
  };
}

const NOTHING_LEFT: Budget = { jobs: 1, credits: null, usd: null };

const WITHIN: readonly FaultCase[] = [
  stalled(),
  undiscovered(),
  receiverLost(),
  inWorld({
    id: "budget-spent",
    fault: "The daily budget is used up",
    raises: [{ alert: "PlumblineBudgetLow", withinSeconds: 3 * MINUTE }],
    clearsSeconds: 20 * MINUTE,
    begin({ probe, target }) {
      const { probe: plan } = target;
      if (plan === undefined) throw new Error("the world's target has no plan of the probe");
      const budget = { day: NOTHING_LEFT, month: null };
      probe.reload({ ...target, probe: { ...plan, budget } });
      return () => probe.reload(target);
    },
  }),
  inWorld({
    id: "healthy",
    fault: "None",
    raises: [],
    lastsSeconds: HALF_AN_HOUR,
    clearsSeconds: 0,
    begin: () => () => {},
  }),
];

export const PROBE_CASES: readonly FaultCase[] = [...PROCESSES, ...WITHIN];
