/** What the models of network, machines and k6's loop bring about, each by itself. */

import { describe, expect, it } from "vitest";
import { stream } from "../../simulation/chance.ts";
import type { ClientAnswer, Route, Serve } from "../../simulation/http.ts";
import { exchange } from "../../simulation/http.ts";
import { startK6 } from "../../simulation/k6-process.ts";
import type { MachineModel } from "../../simulation/machine.ts";
import { IDLE_MACHINE, Machine } from "../../simulation/machine.ts";
import type { NetworkModel } from "../../simulation/network.ts";
import { ConnectionPool, LOOPBACK, Network } from "../../simulation/network.ts";
import { openService } from "../../simulation/service.ts";
import { VirtualClock } from "../../simulation/virtual-clock.ts";
import { poster } from "../../simulation/webhook-post.ts";
import { SimulatedReceiver } from "../../simulation/webhook-receiver.ts";

const MINUTE_MS = 60_000;
const FAR: NetworkModel = { ...LOOPBACK, oneWayMs: 50, jitterMs: 20, handshakes: 2 };

const OUTGOING = {
  method: "POST",
  headers: {},
  body: "",
  limitMs: 10_000,
  keepsConnection: false,
} as const;

function routeOver(model: NetworkModel, serve?: Serve) {
  const clock = new VirtualClock(0);
  const network = new Network(clock, model, stream(1, "network"));
  /** In the order in which requests arrive. */
  const arrived: string[] = [];
  const connections = new Set<object>();
  const takeIn: Serve = (request, reply) => {
    arrived.push(request.target);
    connections.add(request.connection);
    reply({ status: 200, headers: {}, body: request.target, isReset: false, bodyMs: 0 });
  };
  const route: Route = { network, pool: new ConnectionPool(network), serve: serve ?? takeIn };
  return { clock, route, arrived, connections, network };
}

/** So many requests at once; gives back the answers in the order in which they come. */
async function sendAtOnce({ clock, route }: ReturnType<typeof routeOver>, count: number) {
  const answers: ClientAnswer[] = [];
  const requests = Array.from({ length: count }, (_, at) => {
    const request = { method: "GET", url: `http://a/${at}`, headers: {}, body: null };
    return new Promise<void>((resolve) => {
      exchange(route, { ...request, timeoutMs: MINUTE_MS }, clock.nowMs(), (answer) => {
        answers.push(answer);
        resolve();
      });
    });
  });
  await clock.run(Promise.all(requests), MINUTE_MS);
  return answers;
}

const IN_ORDER = Array.from({ length: 20 }, (_, at) => `/${at}`);

describe("requests that are sent at once", () => {
  it("overtake one another over connections of their own", async () => {
    const world = routeOver(FAR);
    const answers = await sendAtOnce(world, 20);
    expect(world.connections.size).toBe(20);
    expect(world.arrived).not.toEqual(IN_ORDER);
    expect(world.arrived.toSorted()).toEqual(IN_ORDER.toSorted());
    expect(answers.every(({ isReused }) => !isReused)).toBe(true);
  });

  it("share the one connection of HTTP/2, await its handshake and keep their order", async () => {
    const world = routeOver({ ...FAR, isHttp2: true });
    const answers = await sendAtOnce(world, 20);
    expect(world.connections.size).toBe(1);
    expect(world.arrived).toEqual(IN_ORDER);
    expect(answers.map(({ body }) => body)).toEqual(IN_ORDER);
    expect(answers.filter(({ isReused }) => !isReused)).toHaveLength(1);
    // Two round trips of the handshake, and the one of the request.
    expect(Math.min(...answers.map(({ transportMs }) => transportMs))).toBeGreaterThan(6 * 50);
    await sendAtOnce(world, 1);
    expect(world.connections.size).toBe(1);
  });
});

describe("a body that comes in pieces", () => {
  it("takes its time from the first byte to the last, whoever sent it slowly", async () => {
    const slow = { ...FAR, slowBodies: { share: 1, ms: [300, 300] as const } };
    const [answer] = await sendAtOnce(routeOver(slow), 1);
    expect(answer?.bodyMs).toBe(300);
    expect(answer?.transportMs).toBeGreaterThan(6 * 50 + 300);
    const drip: Serve = (_, reply) => {
      reply({ status: 200, headers: {}, body: "a", isReset: false, bodyMs: 800 });
    };
    const [dripped] = await sendAtOnce(routeOver(slow, drip), 1);
    expect(dripped?.bodyMs).toBe(1_100);
  });
});

function serviceOn(model: typeof IDLE_MACHINE, clockOffsetMs = 0, clockDrift = 0) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const service = openService({
    given: { variant: "B" },
    otherFaults: [],
    machine: new Machine(clock, model, stream(1, "machine")),
    clockOffsetMs,
    clockDrift,
    draw: stream(1, "service"),
    post: async () => ({ status: 200, cause: "answered" }),
    host: "service",
  });
  const key = service.keys[0]?.value ?? "";
  const network = new Network(clock, LOOPBACK, stream(1, "network"));
  const route = { network, pool: new ConnectionPool(network), serve: service.serve };
  const ask = (method: string, target: string, body: string | null = null) =>
    new Promise<{ body: string; atMs: number }>((resolve) => {
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const request = { method, url: `http://service${target}`, headers, body };
      exchange(route, { ...request, timeoutMs: MINUTE_MS }, clock.nowMs(), (answer) =>
        resolve({ body: answer.body, atMs: clock.nowMs() }),
      );
    });
  return { clock, ask };
}

describe("the service", () => {
  it.each([1, 4])(
    "works off a burst one by one, on a machine %i times as slow",
    async (slowness) => {
      const { clock, ask } = serviceOn({ ...IDLE_MACHINE, slowness });
      const startMs = clock.nowMs();
      const work = Promise.all(Array.from({ length: 100 }, () => ask("GET", "/v1/workers")));
      const answers = await clock.run(work, MINUTE_MS);
      const tookMs = Math.max(...answers.map(({ atMs }) => atMs)) - startMs;
      expect(tookMs).toBeGreaterThan(10 * slowness);
      expect(tookMs).toBeLessThan(20 * slowness);
    },
  );

  it("has a clock of its own, which is off and runs faster", async () => {
    const { clock, ask } = serviceOn(IDLE_MACHINE, 5_000, 0.01);
    const submittedAt = async () => {
      const { body } = await clock.run(
        ask("POST", "/v1/workers/echo/jobs", '{"text":"a"}'),
        MINUTE_MS,
      );
      return Date.parse(JSON.parse(body).submitted_at);
    };
    const startMs = clock.nowMs();
    const first = await submittedAt();
    expect(first - startMs).toBeGreaterThanOrEqual(5_000);
    expect(first - startMs).toBeLessThan(5_010);
    await clock.run(clock.sleep(1_000_000), 2_000_000);
    expect((await submittedAt()) - first).toBeGreaterThanOrEqual(1_010_000);
  });
});

describe("webhooks", () => {
  /** Delivers one after the other; tells what became of it, and when. */
  function senders(waysMs: readonly number[], model: MachineModel) {
    const clock = new VirtualClock(0);
    const network = new Network(clock, { ...LOOPBACK, jitterMs: 0 }, stream(1, "network"));
    const receiver = new SimulatedReceiver(new Machine(clock, IDLE_MACHINE, () => 0), {
      host: "receiver",
      tokenPrefix: "",
      signature: { header: "x", scheme: "present", secret: null },
    });
    const machine = new Machine(clock, model, () => 0.5);
    const post = poster(network, { machine, waysMs, draw: stream(1, "senders") }, () => receiver);
    const url = `${receiver.access.publicUrl}/w/token`;
    return async () => {
      const startMs = clock.nowMs();
      const { cause } = await clock.run(post({ ...OUTGOING, url }), MINUTE_MS);
      return { cause, tookMs: clock.nowMs() - startMs };
    };
  }

  it("come from several senders, each as far away as it is", async () => {
    const deliver = senders([0, 60], IDLE_MACHINE);
    const took: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      took.push(Math.round((await deliver()).tookMs / 60) * 60);
    }
    expect(new Set(took)).toEqual(new Set([0, 120]));
  });

  it.each([
    [9_000, "answered"],
    [12_000, "no-answer"],
  ])(
    "are answered, or not, when a sender that stood still for %i ms goes on: %s",
    async (...at) => {
      const [stallMs, read] = at;
      // The first begins after 69 ms: when the request is sent, and its answer on the way.
      const model = { ...IDLE_MACHINE, stallEveryMs: 100, stallMs: [stallMs, stallMs] } as const;
      const { cause, tookMs } = await senders([60], model)();
      expect(cause).toBe(read);
      expect(Math.floor(tookMs)).toBe(69 + stallMs);
    },
  );
});

const REQUEST = { name: "a", method: "POST", url: "http://a/", headers: {}, body: null } as const;

describe("k6's loop", () => {
  function k6() {
    const clock = new VirtualClock(1_000.7);
    const machine = new Machine(clock, IDLE_MACHINE, () => 0.5);
    const network = new Network(clock, LOOPBACK, stream(1, "network"));
    const served: string[] = [];
    const silent: Serve = ({ target }) => served.push(target);
    const routes = new Map([
      ["http://a", { network, pool: new ConnectionPool(network), serve: silent }],
    ]);
    const setup = { machine, draw: () => 0.5, environment: new Map(), routes };
    return { clock, served, ...startK6({ ...setup, onRecord: () => {} }) };
  }

  it("tells the time in whole milliseconds", async () => {
    const { clock, world } = k6();
    expect(world.now()).toBe(1_000);
    await clock.run(world.delay(1.5), MINUTE_MS);
    expect(world.now()).toBe(1_002);
  });

  it("does nothing more once it is killed: what is late wakes nobody", async () => {
    const { clock, world, kill } = k6();
    const woken: string[] = [];
    void world.delay(10).then(() => woken.push("before"));
    void world.delay(30).then(() => woken.push("after"));
    await clock.run(clock.sleep(20), MINUTE_MS);
    kill();
    await clock.run(clock.sleep(60), MINUTE_MS);
    expect(woken).toEqual(["before"]);
  });

  it("has sent of a burst what it came to before it was killed, and no more", async () => {
    const { clock, world, kill, served } = k6();
    for (let count = 0; count < 200; count += 1) {
      void world.request({ ...REQUEST, timeoutMs: MINUTE_MS });
    }
    // Each takes 0.12 ms to send.
    await clock.run(clock.sleep(12), MINUTE_MS);
    kill();
    await clock.run(clock.sleep(1_000), MINUTE_MS);
    expect(served.length).toBeGreaterThanOrEqual(99);
    expect(served.length).toBeLessThanOrEqual(101);
  });

  it("sends the first poll after a burst of 200 some 25 ms later, as it was busy", async () => {
    const { clock, world } = k6();
    const first = world.delay(0);
    for (let count = 0; count < 200; count += 1) {
      void world.request({ ...REQUEST, timeoutMs: MINUTE_MS });
    }
    const startMs = clock.nowMs();
    await clock.run(first, MINUTE_MS);
    expect(world.now() - startMs).toBeGreaterThanOrEqual(23);
    expect(world.now() - startMs).toBeLessThan(27);
  });
});
