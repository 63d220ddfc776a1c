/** `--trace`: every request carries a trace, on request only, and evidence links to it. */

import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportSchema } from "../../report/model.ts";
import { bendingProxy } from "../probe/bending-proxy.ts";
import { openReference } from "../reference/open-reference.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: k6 starts once, on a busy machine. */
const LIMIT_MS = 600_000;
const URL_OF_TRACES = "https://jaeger.example.com/trace/{traceId}";
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/;

interface Seen {
  request: string;
  traceparent: string | undefined;
}

/** A service with a fault, its target file, and what it was asked. */
async function service(fault: string) {
  const reference = await openReference({ seed: 7, timeScale: 0.05, faults: [fault] });
  const seen: Seen[] = [];
  const note = ({ method, url, headers }: IncomingMessage) => {
    seen.push({ request: `${method} ${url}`, traceparent: headers.traceparent as string });
  };
  const baseUrl = await bendingProxy(reference.baseUrl, {
    answer(body, request) {
      note(request);
      return body;
    },
  });
  const text = [
    `target: { baseUrl: "${baseUrl}", timeScale: 0.05 }`,
    "keys: [ { name: main, plan: pro, env: TRACE_TEST_KEY } ]",
    "workers: { success: { id: echo, input: { text: hi } } }",
    "canaries: [ { name: main, part: success, every: 10m } ]",
  ].join("\n");
  const key = reference.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  return { seen, text, environment: { TRACE_TEST_KEY: key } };
}

const idOf = ({ traceparent = "" }: Seen) => TRACEPARENT.exec(traceparent)?.[1];

describe("gate", { timeout: 2 * LIMIT_MS }, () => {
  const only = ["--only", "auth.missing-key,auth.header-case", "--seed", "7", "--json"];
  const FAULT = "auth.missing-key/answers-403";

  it("sends a trace with every request, and links what it quotes", async () => {
    await using folder = await temporaryFolder();
    const { seen, text, environment } = await service(FAULT);
    const file = await folder.write("plumbline.yaml", text);
    const place = ["--target", file, "--report", join(folder.path, "report")];
    const plain = await runCli(["gate", ...place, ...only], { environment });
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.filter(({ traceparent }) => traceparent !== undefined)).toEqual([]);
    seen.length = 0;
    const traced = await runCli(["gate", ...place, ...only, "--trace", URL_OF_TRACES], {
      environment,
    });
    expect(seen.filter((each) => idOf(each) === undefined)).toEqual([]);
    expect(new Set(seen.map(idOf)).size).toBe(seen.length);
    const [before, after] = [plain, traced].map(({ stdout }) =>
      reportSchema.parse(JSON.parse(stdout)),
    );
    const verdicts = (report = after) => report?.promises.map(({ id, verdict }) => [id, verdict]);
    expect(verdicts(after)).toEqual(verdicts(before));
    expect([plain.exitCode, traced.exitCode]).toEqual([99, 99]);
    const broken = after?.promises.find(({ id }) => id === "auth.missing-key");
    const { traceId = "", traceUrl, request } = broken?.observations[0] ?? {};
    expect(seen.find((each) => idOf(each) === traceId)?.request).toBe(request);
    expect(traceUrl).toBe(`https://jaeger.example.com/trace/${traceId}`);
    expect(traced.stderr).toContain(`trace: ${traceUrl}`);
    expect(before?.promises.flatMap((each) => each.observations).some((o) => "traceId" in o)).toBe(
      false,
    );
  });

  it.each([
    ["https://jaeger.example.com/trace", "has no {traceId}; expected it"],
    ["jaeger/{traceId}", "invalid value"],
  ])("refuses an address without a place for the trace: %s", async (address, told) => {
    const { exitCode, stderr } = await runHere(["gate", "--trace", address]);
    expect([exitCode, stderr]).toEqual([104, expect.stringContaining(told)]);
  });
});

describe("probe", { timeout: LIMIT_MS }, () => {
  it("keeps all requests of a run in one trace, and logs it", async () => {
    await using folder = await temporaryFolder();
    const { seen, text, environment } = await service("job.result-present/missing");
    const file = await folder.write("plumbline.yaml", text);
    const args = ["probe", "--once", "--target", file, "--state", folder.path, "--trace"];
    const { exitCode, stderr } = await runCli(args, { environment });
    expect(exitCode).toBe(99);
    const ofRun = seen.filter(({ request }) => /jobs/.test(request));
    const [first, ...others] = new Set(ofRun.map(idOf));
    expect(ofRun.length).toBeGreaterThan(1);
    expect([first, others]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), []]);
    expect(stderr).toContain(`"traceId":"${first}"`);
  });
});
