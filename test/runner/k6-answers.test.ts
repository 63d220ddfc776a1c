/**
 * What scenarios make of answers that are none, in real k6: each is an error of the way, or an
 * answer as it stands; the key goes nowhere else, nothing is sent twice, and k6 ends in time.
 */

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { Secret } from "../../contract/text/secret.ts";
import type { RunK6Options } from "../../runner/run-k6.ts";
import type { ScenarioRun } from "../../runner/scenario-process.ts";
import { covers } from "../../tools/robustness/covers.ts";
import * as fronts from "../fronts/certificate.ts";
import type { Toxic, Toxiproxy } from "../fronts/toxiproxy.ts";
import * as network from "../fronts/toxiproxy.ts";
import { TOOL_MS } from "../go-tool.ts";
import { listen } from "../http/listen.ts";
import { serveOn } from "../http/serve.ts";
import * as expired from "../probe/client/expired-certificate.ts";
import type { Behaviour } from "../probe/client/hostile-service.ts";
import * as hostile from "../probe/client/hostile-service.ts";
import { BASE_PLAN } from "./base-plan.ts";
import { k6Here } from "./k6-here.ts";
import { sampleRun } from "./sample-run.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SECRET = "key-that-nobody-may-see";

interface Told {
  status: number;
  error: string | null;
  /** Characters of the body, and the first of them. */
  length: number;
  start: string;
}

const { json } = hostile;
const TEXT = JSON.stringify({ job_uuid: "späße", status: "running" });

/** How an address answers, and what the scenario is told of it. */
const ROWS: readonly [name: string, answer: Behaviour, told: Partial<Told>][] = [
  [covers("a head without end", "4 gate"), hostile.slowHead, { error: "timeout" }],
  [covers("a truncated body", "16 gate"), hostile.truncated, { error: "reset", length: 0 }],
  [
    covers("bytes that are no text", "18 gate"),
    hostile.notUtf8(200, "ä", "ö"),
    { status: 200, error: null },
  ],
];

/** Over a second on a line of a kilobyte a second, and far more than the head before it. */
const LONG = json(200, TEXT.padEnd(1_000));
const whole = { status: 200, error: null, start: TEXT };

/** How an answer comes through a network at fault, and what the scenario is told of it. */
const NETWORKS: readonly (readonly [
  name: string,
  answer: Behaviour,
  toxics: readonly Toxic[],
  told: Partial<Told>,
])[] = [
  [
    covers("a reset in mid-body", "2 gate"),
    LONG,
    network.resetAfter("downstream", 600),
    { status: 0, error: "reset", length: 0 },
  ],
  [
    covers("a black hole", "3 gate"),
    LONG,
    network.blackHole("downstream"),
    { status: 0, error: "timeout", length: 0 },
  ],
  [
    covers("a dripping body", "5 gate"),
    LONG,
    network.byteByByte("downstream", 10),
    { status: 0, error: "timeout", length: 0 },
  ],
  [
    covers("packets of a byte", "6 gate"),
    json(200, TEXT),
    network.byteByByte("downstream", 1),
    { ...whole, length: TEXT.length },
  ],
  [
    covers("a slow line", "7 gate"),
    LONG,
    network.slowLine("downstream"),
    { ...whole, start: TEXT.padEnd(100), length: 1_000 },
  ],
];

/** Addresses that are not answered by HTTP, by what the scenario is told of them. */
const ADDRESSES: readonly [name: string, open: () => Promise<string>, error: string][] = [
  [covers("a port where nobody listens", "1 gate"), closedPort, "refused"],
  [
    covers("a certificate that has expired", "11 gate"),
    () => secure("localhost", expired.EXPIRED_CERTIFICATE, expired.EXPIRED_CERTIFICATE_KEY),
    "tls",
  ],
  [
    covers("a certificate of another host", "12 gate"),
    () => secure("127.0.0.2", fronts.LOCALHOST_CERTIFICATE, fronts.LOCALHOST_CERTIFICATE_KEY),
    "tls",
  ],
];

beforeAll(async () => void (await k6Here()), 300_000);

let toxiproxy: Toxiproxy;
beforeAll(async () => {
  toxiproxy = await network.startToxiproxy();
}, TOOL_MS);
afterAll(() => toxiproxy.close());

async function closedPort(): Promise<string> {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

/** What has come over connections that should never have been made. */
let strayRequests = 0;

async function secure(host: string, cert: string, key: string): Promise<string> {
  const server = createTlsServer({ cert, key }, (_, response) => {
    strayRequests += 1;
    response.end();
  });
  return `https://${host}:${await serveOn(server, host === "localhost" ? "127.0.0.1" : host)}`;
}

/** Serves the list, and under each other path what is expected there. */
async function serving(urls: () => readonly string[], answers: ReadonlyMap<string, Behaviour>) {
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const answer = answers.get(request.url ?? "") ?? json(200, urls());
    answer(response, request);
  });
  return `http://127.0.0.1:${await serveOn(server)}`;
}

/** Addresses of the networks, and how often the service behind each was asked. */
async function behindNetworks() {
  const visits = NETWORKS.map(() => 0);
  const urls = NETWORKS.map(async ([, answer, toxics], at) => {
    const counted: Behaviour = (response, request) => {
      visits[at] = (visits[at] ?? 0) + 1;
      answer(response, request);
    };
    const upstream = await serving(() => [], new Map([["/asked", counted]]));
    return `${(await toxiproxy.front(upstream, toxics)).url}/asked`;
  });
  return { visits, urls: await Promise.all(urls) };
}

/** What is answered at all is waited for, however busy the machine. */
function urlOf(url: string, { error }: Partial<Told>): string {
  return error === "timeout" ? url : `${url}#patient`;
}

/** Asks for each address under real k6. */
async function askEach(baseUrl: string, changes: Partial<RunK6Options> = {}): Promise<ScenarioRun> {
  return await sampleRun({
    script: path.join(import.meta.dirname, "ask-each/main.ts"),
    plan: { ...BASE_PLAN, baseUrl },
    secrets: new Map([["SAMPLE_KEY", new Secret(SECRET)]]),
    outputDir: path.join(await temporaryFolder(), "out"),
    ...changes,
  });
}

function toldBy({ records }: ScenarioRun): ReadonlyMap<string, Told> {
  const notes = records.flatMap((each) => (each.type === "note" ? [each.text] : []));
  const told = notes.map((text) => JSON.parse(text) as Told & { url: string });
  return new Map(told.map((each) => [each.url, each]));
}

describe("a scenario's requests", () => {
  it("tell each answer as what it is, and end", async () => {
    const folder = await temporaryFolder();
    const authorities = path.join(folder, "authorities.pem");
    await writeFile(authorities, fronts.AUTHORITY_CERTIFICATE + expired.EXPIRED_CERTIFICATE);
    vi.stubEnv("SSL_CERT_FILE", authorities);
    onTestFinished(() => void vi.unstubAllEnvs());
    const urls: string[] = [];
    const paths = ROWS.map(([, answer], at) => [`/${at}`, answer] as const);
    const baseUrl = await serving(() => urls, new Map(paths));
    urls.push(...ROWS.map(([, , each], at) => urlOf(`${baseUrl}/${at}`, each)));
    for (const [, address] of ADDRESSES) urls.push(urlOf(await address(), {}));
    const networks = await behindNetworks();
    urls.push(...networks.urls.map((url, at) => urlOf(url, NETWORKS[at]?.[3] ?? {})));
    const run = await askEach(baseUrl);
    expect(run, run.stderrTail).toMatchObject({ exitCode: 0, dropped: 0, outgrown: false });
    const told = toldBy(run);
    const expected = [
      ...ROWS.map(([name, , each]) => [name, each]),
      ...ADDRESSES.map(([name, , error]) => [name, { status: 0, error, length: 0 }]),
      ...NETWORKS.map(([name, , , each]) => [name, each]),
    ];
    expect(expected.map(([name], at) => [name, told.get(urls[at] ?? "")])).toMatchObject(expected);
    expect(networks.visits).toEqual(NETWORKS.map(() => 1));
    expect(strayRequests).toBe(0);
  });

  it(covers("follow no redirect, to another host or round and round", "13 gate"), async () => {
    const urls: string[] = [];
    const visits: (string | undefined)[] = [];
    const elsewhere = await serving(() => {
      visits.push("elsewhere");
      return [];
    }, new Map());
    const round: Behaviour = (response, { url }) => {
      visits.push(url);
      json(307, "", { location: "/round" })(response, {} as never);
    };
    const away = json(308, "", { location: `${elsewhere}/list` });
    const baseUrl = await serving(
      () => urls,
      new Map([
        ["/round", round],
        ["/away", away],
      ]),
    );
    urls.push(`${baseUrl}/round#patient`, `${baseUrl}/away#patient`);
    const told = toldBy(await askEach(baseUrl));
    expect(urls.map((url) => told.get(url)?.status)).toEqual([307, 308]);
    expect(visits).toEqual(["/round"]);
  });

  it(covers("are sent once, though a kept connection closes under them", "8 gate"), async () => {
    const urls: string[] = [];
    const asked = new Map<unknown, number>();
    const kept: Behaviour = (response, request) => {
      const { socket } = request;
      asked.set(socket, (asked.get(socket) ?? 0) + 1);
      // Read whole, so that it may have been obeyed, and then as if it had never come.
      request.resume().on("end", () => {
        if (asked.get(socket) === 1) json(200, {})(response, request);
        else socket.destroy();
      });
    };
    const baseUrl = await serving(() => urls, new Map());
    urls.push(`${await serving(() => [], new Map([["/kept", kept]]))}/kept#patient#twice`);
    const told = toldBy(await askEach(baseUrl));
    expect(told.get(urls[0] ?? "")).toMatchObject({ status: 0, length: 0 });
    expect([...asked.values()]).toEqual([2]);
  });
});

it("requests carry no cookie of earlier answers, also those that are prepared", async () => {
  const urls: string[] = [];
  const cookies: (string | undefined)[] = [];
  const sticky: Behaviour = (response, request) => {
    cookies.push(request.headers.cookie);
    json(200, {}, { "set-cookie": "AWSALB=first; Path=/" })(response, request);
  };
  const baseUrl = await serving(() => urls, new Map([["/sticky", sticky]]));
  urls.push(`${baseUrl}/sticky#patient#twice`, `${baseUrl}/sticky#patient#prepared`);
  const run = await askEach(baseUrl);
  expect(run, run.stderrTail).toMatchObject({ exitCode: 0, dropped: 0 });
  expect(cookies).toEqual(Array(5).fill(undefined));
});

/** A k6 that may open so many files and connections. */
async function withDescriptors(most: number): Promise<string> {
  const file = path.join(await temporaryFolder(), "k6");
  await writeFile(file, `#!/bin/sh\nulimit -n ${most}\nexec "${(await k6Here()).path}" "$@"\n`, {
    mode: 0o755,
  });
  return file;
}

it(covers("requests that k6 has no descriptor for are told as not sent", "37 gate"), async () => {
  const urls: string[] = [];
  const limited = Promise.withResolvers<void>();
  // Each keeps its descriptor until k6 has come to its limit.
  const hold: Behaviour = (response, request) => {
    void limited.promise.then(() => json(200, {})(response, request));
  };
  const baseUrl = await serving(() => urls, new Map([["/hold", hold]]));
  urls.push(...Array.from({ length: 80 }, (_, at) => `${baseUrl}/hold#${at}#patient`));
  const run = await askEach(baseUrl, {
    k6Path: await withDescriptors(40),
    onRecord: (record) => {
      if (record.type === "note" && record.text.includes('"error":"local"')) limited.resolve();
    },
  });
  expect(run, run.stderrTail).toMatchObject({ exitCode: 0, dropped: 0 });
  const kinds = [...toldBy(run).values()].map(({ status, error }) => error ?? status);
  expect(new Set(kinds)).toEqual(new Set([200, "local"]));
});

describe("a k6 that is sent more than it may hold", () => {
  it.each([
    [covers("in a body without end", "14 gate"), hostile.endless],
    [covers("in a gzip bomb", "15 gate"), hostile.gzipBombOf(4_000)],
  ])("%s is stopped, and nothing of it is believed", async (_, answer) => {
    const urls: string[] = [];
    const baseUrl = await serving(() => urls, new Map([["/more", answer]]));
    urls.push(...Array<string>(8).fill(`${baseUrl}/more#patient`));
    const run = await askEach(baseUrl, { memoryBytesMax: 400e6 });
    expect(run).toMatchObject({ outgrown: true, exitCode: null });
    expect(run.records.map(({ type }) => type)).not.toContain("ended");
  });
});
