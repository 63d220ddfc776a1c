/** The target file: what a good one means. */

import { describe, expect, it } from "vitest";
import { parseTargetFile } from "../../../cli/target-file/target-file.ts";
import { ENVIRONMENT, HEALTHY, problemsOf } from "./texts.ts";

describe("a target file", () => {
  it("needs an address and a key; the rest has defaults", () => {
    const { target, secrets } = parseTargetFile(HEALTHY, "t.yaml", ENVIRONMENT);
    expect(target).toMatchObject({
      baseUrl: "https://api.example.com/base",
      timeScale: 1,
      embedded: false,
      keys: [
        {
          name: "a",
          env: "KEY_A",
          state: "active",
          plan: "free",
          sustained: 10,
          burst: 20,
          account: null,
        },
      ],
      workers: {},
      publish: null,
      cancel: null,
      tolerances: {
        webhookWaitEarlyMs: 500,
        webhookWaitLateMs: 2000,
        webhookWaitLateShare: 0.1,
        timeoutEarlyMs: 250,
        timeoutLateMs: 2000,
        timeoutLateShare: 0.1,
        sustainedShare: 0.05,
        burstMissing: 0,
        burstExcess: 1,
        retryAfterExcessMs: 10_000,
        endWithinMs: null,
      },
      budget: null,
    });
    expect([...secrets].map(([name, each]) => [name, each.reveal()])).toEqual([
      ["KEY_A", "secret-a"],
    ]);
  });

  it("may say everything, also for parts of the suite that come later", () => {
    const { target, secrets } = parseTargetFile(
      `
target: { baseUrl: "http://127.0.0.1:8080", timeScale: 0.02 }
keys:
  - { name: big, plan: enterprise, sustained: 200, burst: 400, account: one, env: KEY_A }
  - { name: old, state: revoked, env: KEY_B }
workers:
  success: { id: echo, input: { text: hi }, marker: text }
  slow: { id: sleep, input: { seconds: 8 } }
publish: { worker: mine, key: big }
cancel: { method: POST, body: { status: cancelled } }
webhook:
  listen: "127.0.0.1:0"
  publicUrl: "https://hooks.example.com"
  signature: { header: X-Sig, scheme: hmac-sha256, secretEnv: HOOK }
load:
  jobsPerSecond: 5
  duration: 60s
  keys: [big]
  beyondPlan: true
  mix: { success: 8, slow: 1 }
  objectives: { throughput: "95%", submitP99: 500ms, queueWaitP99: 5s, errorShare: 0 }
canaries: [ { name: one, part: success, every: 30s, deadline: 60s, webhook: true } ]
slo: [ { name: canary-success, objective: 99.5 } ]
tolerances: { webhookWaitEarlyMs: 1s, timeoutLateMs: 1500, sustainedShare: 0.02 }
budget: { jobs: 500, usd: 1 }
`,
      "t.yaml",
      ENVIRONMENT,
    );
    expect(target.keys.map(({ plan, sustained, burst }) => [plan, sustained, burst])).toEqual([
      ["enterprise", 200, 400],
      [null, null, null],
    ]);
    expect(target.load).toMatchObject({ keys: ["big"], beyondPlan: true });
    expect(target.workers.success).toEqual({ id: "echo", input: { text: "hi" }, marker: "text" });
    expect(target.cancel).toEqual({ method: "POST", body: { status: "cancelled" } });
    expect(target.publish).toEqual({ worker: "mine", key: "big" });
    expect(target.tolerances.webhookWaitEarlyMs).toBe(1_000);
    expect(target.tolerances.timeoutLateMs).toBe(1_500);
    expect(target.budget).toEqual({ jobs: 500, credits: null, usd: 1 });
    expect(secrets.get("HOOK")?.reveal()).toBe("secret-hook");
  });

  it("may name a webhook secret for a key, beside that of the others", () => {
    const { target, secrets } = parseTargetFile(
      `
target: { baseUrl: "http://127.0.0.1:8080" }
keys:
  - { name: a, account: one, env: KEY_A, webhookSecretEnv: HOOK_A }
  - { name: b, account: two, env: KEY_B }
webhook: { signature: { scheme: hmac-sha256, secretEnv: HOOK } }
`,
      "t.yaml",
      { ...ENVIRONMENT, HOOK_A: "old-one new-one" },
    );
    expect(target.keys.map((each) => each.webhookSecretEnv)).toEqual(["HOOK_A", "HOOK"]);
    expect(target.webhook?.signature.secretEnvs).toEqual(["HOOK", "HOOK_A"]);
    expect([...secrets.keys()]).toEqual(["KEY_A", "KEY_B", "HOOK", "HOOK_A"]);
  });

  it("may leave a section empty", () => {
    expect(problemsOf(`${HEALTHY}\nworkers:\ntolerances:\ncancel:\n`)).toEqual([]);
  });

  it("is read without an environment when only a plan is made of it", () => {
    const { target, secrets } = parseTargetFile(HEALTHY, "t.yaml", null);
    expect(target.keys[0]?.env).toBe("KEY_A");
    expect(secrets.size).toBe(0);
  });
});
