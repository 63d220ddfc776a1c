/** What `npm run pressure` is made of: its path, its stalls, its arguments, and what it reads. */

import type { Socket } from "node:net";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseTargetFile } from "../../cli/target-file/target-file.ts";
import { seededUniform } from "../../contract/numbers/random.ts";
import { PART_WORKERS } from "../../reference/embedded-target.ts";
import { closed } from "../http/closed.ts";
import { serveOn } from "../http/serve.ts";
import type { Announcement } from "../soak/service.ts";
import { lossDelays, startLossyProxy } from "./lossy-proxy.ts";
import { readOptions } from "./options.ts";
import { toldBy } from "./run.ts";
import { drawStall, familyOf } from "./stalls.ts";
import { secretsFor, targetFor } from "./target.ts";

function drawn(seed: number, loss: number, count: number): number[] {
  const next = lossDelays(seededUniform(seed), loss);
  return Array.from({ length: count }, () => next());
}

describe("the delays of a lossy path", () => {
  it("follow from the seed", () => {
    expect(drawn(7, 0.05, 500)).toEqual(drawn(7, 0.05, 500));
    expect(drawn(8, 0.05, 500)).not.toEqual(drawn(7, 0.05, 500));
  });

  it("are retransmission timeouts, doubled for each loss, of one chunk in twenty", () => {
    const all = drawn(1, 0.05, 20_000);
    const late = all.filter((ms) => ms > 0);
    expect(late.length / all.length).toBeCloseTo(0.05, 2);
    const timeouts = [200, 600, 1_400, 3_000, 6_200, 12_600];
    expect(late.filter((ms) => !timeouts.includes(ms))).toEqual([]);
    expect(late.filter((ms) => ms > 200).length / late.length).toBeCloseTo(0.05, 1);
  });

  it("are none on a path that loses nothing, and bounded on one that loses all", () => {
    expect(drawn(1, 0, 100)).toEqual(Array(100).fill(0));
    expect(drawn(1, 1, 2)).toEqual([12_600, 12_600]);
  });
});

/** A server whose connections do as told, behind a path. */
async function behindPath(serve: (socket: Socket) => void, loss: number, seed: number) {
  const port = await serveOn(createServer(serve));
  const proxy = await startLossyProxy({ port, loss, seed });
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  onTestFinished(async () => {
    socket.destroy();
    await proxy.close();
  });
  return { socket, proxy };
}

async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe("the proxy", () => {
  it("passes everything on in its order, late by what was drawn", async () => {
    // With this seed the first chunk is late by 200 ms each way, however the others are joined.
    const { socket, proxy } = await behindPath((peer) => peer.pipe(peer), 0.5, 9);
    const startMs = performance.now();
    for (const text of ["one ", "two ", "three"]) {
      socket.write(text);
      await new Promise((over) => setTimeout(over, 20));
    }
    socket.end();
    expect(await textOf(socket)).toBe("one two three");
    expect(proxy.counts.late).toBeGreaterThanOrEqual(2);
    expect(performance.now() - startMs).toBeGreaterThan(398);
  });

  it("is a plain way where nothing is lost", async () => {
    const { socket, proxy } = await behindPath((peer) => peer.end("hello"), 0, 3);
    expect(await textOf(socket)).toBe("hello");
    expect(proxy.counts).toEqual({ chunks: 1, late: 0 });
  });

  it("breaks off where the service does", async () => {
    const { socket } = await behindPath((peer) => peer.resetAndDestroy(), 0, 3);
    await closed(socket);
    expect(socket.destroyed).toBe(true);
  });
});

describe("stalls", () => {
  const stalls = (seed: number) => {
    const uniform = seededUniform(seed);
    return Array.from({ length: 400 }, () => drawStall(uniform));
  };

  it("follow from the seed, one in 10 to 20 s, half of them of one process alone", () => {
    expect(stalls(4)).toEqual(stalls(4));
    const afterMs = stalls(4).map((each) => each.afterMs);
    expect(Math.min(...afterMs)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...afterMs)).toBeLessThan(20_000);
    const alone = stalls(4).filter((each) => each.alone !== null);
    expect(alone.length / 400).toBeCloseTo(0.5, 1);
  });

  it("stop a process and all that it began, and nobody else's", () => {
    const rows = [
      { pid: 10, parent: 1 },
      { pid: 11, parent: 10 },
      { pid: 12, parent: 11 },
      { pid: 20, parent: 1 },
      { pid: 21, parent: 20 },
    ];
    expect(familyOf(10, rows)).toEqual([10, 11, 12]);
  });
});

describe("the arguments", () => {
  it("have defaults", () => {
    expect(readOptions([])).toMatchObject({ gates: 20, probes: 1, jobs: 2, seed: 1, only: null });
  });

  it("are refused all at once, each with what was expected", () => {
    const args = ["--gates=-1", "--jobs=0", "--time-scale=2"];
    expect(() => readOptions(args)).toThrow(
      "--gates -1: expected a number of runs, 0 or more\n" +
        "--jobs 0: expected a number of runs at a time, 1 or more\n" +
        "--time-scale 2: expected a share up to 1",
    );
  });
});

const SERVICE: Announcement = {
  baseUrl: "http://127.0.0.1:1",
  timeScale: 1,
  keys: ["pro-a", "big"].map((name) => ({
    name,
    value: `value-of-${name}`,
    plan: name === "big" ? "enterprise" : "pro",
    sustained: 50,
    burst: 100,
    account: "one",
    state: "active",
  })),
  webhook: { header: "X-Service-Signature", scheme: "hmac-sha256", secret: "quiet" },
  workers: PART_WORKERS,
};

describe("the target file", () => {
  const ways = {
    baseUrl: "http://127.0.0.1:2",
    receiverPort: 3,
    publicUrl: "http://127.0.0.1:4",
  };

  it("is one that the suite reads, by the paths and without a secret", () => {
    const text = targetFor(SERVICE, ways);
    const { target } = parseTargetFile(text, "plumbline.yaml", secretsFor(SERVICE));
    expect(target.baseUrl).toBe("http://127.0.0.1:2");
    expect(target.webhook?.publicUrl).toBe("http://127.0.0.1:4");
    expect(target.keys.map(({ name }) => name)).toEqual(["pro-a"]);
    expect(text).not.toMatch(/value-of|quiet/);
  });
});

describe("what a probe tells", () => {
  const runs = (outcome: string, count: number) =>
    `plumbline_canary_runs_total{canary="echo",outcome="${outcome}",location="local"} ${count}\n`;
  const violations = (count: number) =>
    `plumbline_promise_violations_total{promise="webhook.once",location="local"} ${count}\n`;

  it.each([
    { title: "successes are well", text: runs("success", 9) + violations(0), broken: [] },
    {
      title: "its own failures are",
      text: runs("success", 9) + runs("probe_error", 2),
      broken: [],
    },
    {
      title: "a violation is not",
      text: runs("success", 9) + violations(2),
      broken: ["webhook.once: 2 violations"],
    },
    {
      title: "a missed deadline is not",
      text: runs("success", 9) + runs("deadline", 1),
      broken: ["outcome deadline: 1 runs"],
    },
    { title: "silence is not", text: runs("success", 0), broken: ["the probe ran no canary"] },
  ])("$title", ({ text, broken }) => {
    expect(toldBy(text).broken).toEqual(broken);
  });
});
