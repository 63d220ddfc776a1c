/** The webhook receiver as a command: it receives, tells, warns and refuses; a plan can name it. */

import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { DeliveriesAnswer, ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { freePort } from "../http/free-port.ts";
import { serveOn } from "../http/serve.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { traces } from "./spellings.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const TOKEN = "token-of-this-test-only";
/** Each of their signs is spelt otherwise somewhere. */
const SECRET = `canarysinkhook7q&<>!*'()+/=%"\\9f3c1a`;
const QUERY_SECRET = `canarysinkquery7q&<>!*'()+/=%"\\9f3c1a`;
const ASKING = { PLUMBLINE_SINK_SECRET: QUERY_SECRET };
const HEADERS = { authorization: `Bearer ${QUERY_SECRET}` };

/** Runs a sink for as long as `use` takes, or until it calls `stop`. */
async function withSink<Result>(
  args: readonly string[],
  use: (access: ReceiverAccess, stop: () => void) => Promise<Result>,
  environment: Readonly<Record<string, string>> = {},
  signal: NodeJS.Signals = "SIGINT",
): Promise<{ result: Result; run: CliRun }> {
  const results: Promise<Result>[] = [];
  const run = await runCli(["sink", "--json", ...args], {
    environment: { ...ASKING, ...environment },
    onStdout: (text, child) => {
      if (results.length > 0 || !text.endsWith("}\n")) return;
      const stop = () => void child.kill(signal);
      const result = use(JSON.parse(text) as ReceiverAccess, stop);
      results.push(result);
      result.then(stop, stop);
    },
  });
  const [result] = await Promise.all(results);
  if (result === undefined) throw new Error(`the sink told nothing: ${run.stderr}`);
  return { result, run };
}

/** Spellings of both secrets in what it printed. */
function leaks({ stdout, stderr }: CliRun): string[] {
  const spellings = [SECRET, QUERY_SECRET].flatMap(traces);
  return spellings.filter((each) => (stdout + stderr).includes(each));
}

async function attemptsOf(access: ReceiverAccess, token: string, waitMs = 20_000) {
  const url = `${access.queryUrl}/deliveries?token=${token}&waitMs=${waitMs}`;
  const told = (await (await fetch(url, { headers: HEADERS })).json()) as DeliveriesAnswer;
  return told.deliveries.map(({ attempt }) => attempt);
}

async function post(url: string): Promise<number> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: "{}" });
  await answer.text();
  return answer.status;
}

const target = (baseUrl: string) => `
target: { baseUrl: "${baseUrl}" }
keys: [{ name: a, plan: free, env: KEY_A }]
`;

async function planFor(
  access: ReceiverAccess,
  baseUrl: string,
  environment: Readonly<Record<string, string>> = ASKING,
  text = target(baseUrl),
): Promise<CliRun> {
  await using folder = await temporaryFolder();
  const file = await folder.write("plumbline.yaml", text);
  const args = ["plan", "--target", file, "--receiver", `${access.queryUrl}/`];
  return await runHere(args, { environment });
}

describe("sink", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    covers("answers by script and tells what arrived, until %s", "32 receiver"),
    async (signal) => {
      const script = [503, 200].map((status) => ({ kind: "status", status, delayMs: 0 }) as const);
      const use = async (access: ReceiverAccess) => {
        const url = deliveryUrl(access.publicUrl, TOKEN, script);
        const statuses = [await post(url), await post(url)];
        const asked = `${access.queryUrl}/deliveries?token=${TOKEN}`;
        const told = await fetch(asked, { headers: HEADERS });
        return { statuses, told: (await told.json()) as DeliveriesAnswer };
      };
      const { result, run } = await withSink([], use, {}, signal);
      expect(result.statuses).toEqual([503, 200]);
      expect(result.told.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    },
  );

  it(
    covers("checks signatures by scheme and secret, and hides the secret", "48 receiver"),
    async () => {
      const args = ["--signature-scheme", "hmac-sha256", "--signature-secret-env", "HOOK_SECRET"];
      const { result, run } = await withSink(
        args,
        async (access) => {
          await post(`${access.publicUrl}/d/${TOKEN}/200`);
          const url = `${access.queryUrl}/deliveries?token=${TOKEN}`;
          const told = await fetch(url, { headers: HEADERS });
          return ((await told.json()) as DeliveriesAnswer).deliveries.map((each) => each.signature);
        },
        { HOOK_SECRET: SECRET },
      );
      expect(result).toEqual(["absent"]);
      expect(run.stdout).toContain('"scheme": "hmac-sha256"');
      expect(leaks(run)).toEqual([]);
    },
  );

  it(
    covers("that is killed answers nothing more, and begins anew where it was", "33 receiver"),
    async () => {
      const at = ["--listen", `127.0.0.1:${await freePort()}`];
      const [answered, inFlight] = ["token-of-an-answered-one", "token-of-one-in-flight"];
      const url = ({ publicUrl }: ReceiverAccess, token: string, delayMs: number) =>
        deliveryUrl(publicUrl, token, [{ kind: "status", status: 200, delayMs }]);
      const killed = await withSink(
        at,
        async (access, stop) => {
          const before = await post(url(access, answered, 0));
          const waiting = post(url(access, inFlight, 30_000)).catch(() => 0);
          const attempts = await attemptsOf(access, inFlight);
          stop();
          return [before, attempts, await waiting];
        },
        {},
        "SIGKILL",
      );
      expect([killed.result, killed.run.exitCode]).toEqual([[200, [1], 0], null]);
      const { result } = await withSink(at, async (access) => {
        const again = await post(url(access, inFlight, 0));
        return [again, await attemptsOf(access, inFlight), await attemptsOf(access, answered, 0)];
      });
      // It keeps nothing on disk: a sender that was not answered comes again, and is the first.
      expect(result).toEqual([200, [1], []]);
    },
  );

  it("can be named in a plan", async () => {
    const { result, run } = await withSink([], (access) =>
      planFor(access, "http://127.0.0.1:8080"),
    );
    expect(result.exitCode, result.stderr).toBe(0);
    const plan = JSON.parse(result.stdout) as RunPlan;
    expect(plan.receiver).toEqual(JSON.parse(run.stdout));
    expect(plan.receiver?.querySecretEnv).toBe("PLUMBLINE_SINK_SECRET");
    expect([...leaks(result), ...leaks(run)]).toEqual([]);
    expect([plan.receiverMissing, plan.receiver?.refusingUrl]).toEqual([null, expect.any(String)]);
  });

  it(covers("names in a plan the secrets of keys, if it knows them", "48 receiver"), async () => {
    const names = ["SECRET_A", "SECRET_B"];
    const keys = names.map(
      (name, at) => `{ name: k${at}, env: K${at}, webhookSecretEnv: ${name} }`,
    );
    const signed = `
target: { baseUrl: "http://127.0.0.1:8080" }
keys: [${keys.join()}]
webhook: { signature: { scheme: hmac-sha256 } }
`;
    const told = async (known: readonly string[]) => {
      const args = known.flatMap((name) => ["--signature-secret-env", name]);
      return await withSink(
        ["--signature-scheme", "hmac-sha256", ...args],
        (access) => planFor(access, "", ASKING, signed),
        Object.fromEntries(names.map((name) => [name, `${SECRET}-${name}`])),
      );
    };
    const { result, run } = await told(names);
    const plan = JSON.parse(result.stdout) as RunPlan;
    expect(plan.receiver?.signature.secretEnvs).toEqual(names);
    expect(plan.keys.map(({ webhookSecretEnv }) => webhookSecretEnv)).toEqual(names);
    expect([...leaks(result), ...leaks(run)]).toEqual([]);
    const refused = (await told(["SECRET_A"])).result;
    expect(refused.exitCode).toBe(104);
    expect(refused.stderr).toMatch(/can't tell whose a signature is; expected sink .* SECRET_B$/m);
  });

  it.each([
    ["that is missing", {}, /PLUMBLINE_SINK_SECRET is not set; expected the secret that/],
    [
      "of another sink",
      { PLUMBLINE_SINK_SECRET: "x".repeat(20) },
      /SECRET is not that of the sink/,
    ],
    ["that none can have", { PLUMBLINE_SINK_SECRET: "two words" }, /SECRET holds no secret of/],
  ])("is not named in a plan by a secret %s", async (_, environment, said) => {
    const { result } = await withSink([], (access) =>
      planFor(access, "http://127.0.0.1:8080", environment),
    );
    expect([result.exitCode, result.stderr]).toEqual([104, expect.stringMatching(said)]);
  });

  it("makes a secret where none is set, and tells it once, on stderr", async () => {
    const environment = { PLUMBLINE_SINK_SECRET: "" };
    const { result, run } = await withSink([], async ({ queryUrl }) => queryUrl, environment);
    expect(result).toMatch(/^http:/);
    const [, secret = ""] = /^ {2}export PLUMBLINE_SINK_SECRET=(\S+)$/m.exec(run.stderr) ?? [];
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect((run.stdout + run.stderr).split(secret)).toHaveLength(2);
    expect(run.stdout).not.toContain(secret);
  });

  it("refuses a secret that can be tried out, without telling it", async () => {
    const run = await runHere(["sink"], { environment: { PLUMBLINE_SINK_SECRET: "too-short-1" } });
    expect(run.stderr).toMatch(/PLUMBLINE_SINK_SECRET: invalid value; expected 16 to 256 visible/);
    expect([run.exitCode, run.stderr.includes("too-short-1")]).toEqual([104, false]);
  });

  it("is left out of the plan of a service that can't reach it, with the reason", async () => {
    const { result } = await withSink([], (access) => planFor(access, "https://api.example.com"));
    const plan = JSON.parse(result.stdout) as RunPlan;
    expect(plan.receiver).toBeNull();
    expect(plan.receiverMissing).toMatch(/can't reach http:\/\/127\.0\.0\.1:\d+; expected sink/);
    expect(result.stderr).toMatch(/^warning \(no-receiver\): the service can't reach/);
  });

  it("refuses no connections on behalf of a service that is elsewhere", async () => {
    const args = ["--public-url", "https://hooks.example.com"];
    const { result } = await withSink(args, (access) => planFor(access, "https://api.example.com"));
    const { receiver } = JSON.parse(result.stdout) as RunPlan;
    expect([receiver?.publicUrl, receiver?.refusingUrl]).toEqual([args[1], null]);
  });

  it.each([
    [
      "http://hooks.example.com",
      /^warning \(insecure-public-url\): .*hooks\.example\.com: .*https/,
    ],
    ["https://hooks.example.com", /^$/],
    ["http://localhost:9000/hooks", /^$/],
  ])("warns of a public URL in clear text: %s", async (publicUrl, said) => {
    const { run } = await withSink(["--public-url", publicUrl], async (access) => access);
    expect([run.exitCode, run.stderr.trim()]).toEqual([0, expect.stringMatching(said)]);
  });

  it(covers("says which port is taken, and ends with 104", "36 receiver"), async () => {
    const port = await serveOn(createServer());
    const run = await runCli(["sink", "--listen", `127.0.0.1:${port}`]);
    expect(run.stderr).toMatch(
      new RegExp(
        `error \\(listen-failed\\): cannot listen on 127\\.0\\.0\\.1:${port} .*EADDRINUSE`,
      ),
    );
    expect([run.exitCode, run.stdout]).toEqual([104, ""]);
  });

  it("tells all wrong options at once", async () => {
    const args = ["--listen", "8080", "--public-url", "hooks", "--signature-scheme", "hmac-sha255"];
    const header = ["--signature-header", "X Sig", "--signature-secret-env", "NOT_THERE"];
    const run = await runHere(["sink", ...args, ...header]);
    expect(run.stderr).toMatch(/--listen: "8080" is not an address; expected host:port/);
    expect(run.stderr).toMatch(/--public-url: invalid value "hooks"; expected a URL/);
    expect(run.stderr).toMatch(/--signature-scheme: unknown value "hmac-sha255" .did you mean/);
    expect(run.stderr).toMatch(/--signature-header: invalid value "X Sig"; expected the name of/);
    expect(run.stderr).toMatch(/--signature-secret-env: NOT_THERE is not set/);
    expect(run.exitCode).toBe(104);
  });

  it.each([
    ["http://127.0.0.1:1", /gave no answer of a sink/],
    ["nowhere", /is no URL/],
  ])("a plan refuses %s as its address", async (address, said) => {
    await using folder = await temporaryFolder();
    const file = await folder.write("plumbline.yaml", target("http://127.0.0.1:8080"));
    const run = await runHere(["plan", "--target", file, "--receiver", address]);
    expect([run.exitCode, run.stderr]).toEqual([104, expect.stringMatching(said)]);
  });
});
