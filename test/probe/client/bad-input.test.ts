/** Bad input of all kinds ends in its outcome and metric, by the deadline, with bounded memory. */

import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { connect, getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Part } from "../../../contract/run/run-plan.ts";
import { PARTS } from "../../../contract/run/run-plan.ts";
import type { Outcome } from "../../../probe/outcome.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import * as fronts from "../../fronts/certificate.ts";
import { serveOn } from "../../http/serve.ts";
import { EXPIRED_CERTIFICATE, EXPIRED_CERTIFICATE_KEY } from "./expired-certificate.ts";
import type { Hostility } from "./hostile-service.ts";
import * as hostile from "./hostile-service.ts";
import { expectedOf, probeOn } from "./probe-on.ts";

const { json, html } = hostile;

/** Ours: long enough for several polls, short enough for a table of them. */
const DEADLINE_MS = 3_000;
/** Ours: what a busy machine takes beside. */
const SLACK_MS = 10_000;
/** Ours: far above what the probe holds, far below what it is offered. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
const huge = JSON.stringify({ job_uuid: "job_1", status: "completed", result: "x".repeat(9e6) });
const completed = (id: string, changes: object = {}) => hostile.job(id, "completed", changes);
const variantB = { job_id: "job_success", worker_id: "success", status: "SUCCEEDED", output: null };

type Row = [name: string, hostility: Hostility, outcome: Outcome];

/** What the submission is answered with; the list of jobs is answered, and shows none. */
const SUBMISSIONS: Row[] = [
  ["401", { submit: json(401, { error: "unauthorized" }) }, "auth"],
  ["402", { submit: json(402, {}) }, "credits"],
  ["404", { submit: json(404, {}) }, "http_error"],
  ["500", { submit: json(500, "oops") }, "http_error"],
  ["HTML with 503", { submit: html(503) }, "http_error"],
  ["a status that nobody knows", { submit: json(299, {}) }, "http_error"],
  [covers("a head without end", "4 probe"), { submit: hostile.slowHead }, "http_error"],
  [covers("an endless body", "14 probe"), { submit: hostile.endless }, "http_error"],
  [covers("a truncated body", "16 probe"), { submit: hostile.truncated }, "http_error"],
  [covers("a gzip bomb", "15 probe"), { submit: hostile.gzipBomb }, "http_error"],
  [covers("HTML with 200", "17 probe"), { submit: html(200) }, "http_error"],
  ["huge JSON", { submit: json(202, huge) }, "http_error"],
  [covers("deep JSON", "19 probe"), { submit: json(202, deep) }, "http_error"],
  ["null", { submit: json(202, "null") }, "http_error"],
  [
    "an identifier in __proto__",
    { submit: json(202, '{"__proto__":{"job_uuid":"job_1","status":"queued"}}') },
    "http_error",
  ],
  ["a number as identifier", { submit: json(202, { job_uuid: 7 }) }, "http_error"],
];

/** What polls of the job are answered with. */
const POLLS: Row[] = [
  [covers("401 in mid-run", "27 probe"), { poll: json(401, {}) }, "auth"],
  [covers("402 in mid-run", "28 probe"), { poll: json(402, {}) }, "credits"],
  [covers("404 in mid-run", "29 probe"), { poll: json(404, {}) }, "http_error"],
  [covers("500 in mid-run", "25 probe"), { poll: json(500, "oops") }, "http_error"],
  [covers("a head without end", "4 probe"), { poll: hostile.slowHead }, "http_error"],
  [covers("an endless body", "14 probe"), { poll: hostile.endless }, "probe_error"],
  [covers("a truncated body", "16 probe"), { poll: hostile.truncated }, "http_error"],
  [covers("a gzip bomb", "15 probe"), { poll: hostile.gzipBomb }, "probe_error"],
  [covers("HTML", "17 probe"), { poll: html(200) }, "http_error"],
  ["huge JSON", { poll: json(200, huge) }, "probe_error"],
  [covers("deep JSON", "19 probe"), { poll: json(200, deep) }, "probe_error"],
  ["a list", { poll: json(200, []) }, "wrong_result"],
  [
    covers("an unknown state", "22 probe"),
    { poll: json(200, { job_uuid: "a", status: "melted" }) },
    "wrong_state",
  ],
  [
    "__proto__ as state",
    { poll: json(200, { job_uuid: "a", status: "__proto__" }) },
    "wrong_state",
  ],
  ["a state of another type", { poll: json(200, { job_uuid: "a", status: {} }) }, "wrong_state"],
  ["no state", { poll: json(200, { job_uuid: "a" }) }, "wrong_state"],
];

/** Identifiers that are strange, and lawful as text: their jobs are followed all the same. */
const IDENTIFIERS = ["../../me", "..", ".", "a/b?c#d&e=f", "%2e%2e", "späße 🎈", "a\u0000b\r\nc"];

/** One probe with as many canaries as there are rows: each part's worker is one of them. */
async function outcomes(rows: readonly Row[]) {
  const parts = PARTS.slice(0, rows.length) as Part[];
  const workers = rows.map(([, hostility], at) => [parts[at], hostility] as const);
  const service = await hostile.startHostile(Object.fromEntries(workers));
  onTestFinished(() => service.close());
  const opened = await probeOn(service, { parts, deadlineMs: DEADLINE_MS });
  const startedMs = performance.now();
  const runs = [...(await opened.probe.once()).values()];
  return { ...opened, service, runs, parts, tookMs: performance.now() - startedMs };
}

function chunks(rows: readonly Row[]): (readonly [string, Row[]])[] {
  const count = Math.ceil(rows.length / PARTS.length);
  return Array.from({ length: count }, (_, at) => {
    const chunk = rows.slice(at * PARTS.length, (at + 1) * PARTS.length);
    return [chunk.map(([name]) => name).join(", "), chunk] as const;
  });
}

describe.each([
  ["submissions", SUBMISSIONS],
  ["polls", POLLS],
] as const)("answers to %s", (_, table) => {
  it.each(chunks(table))("%s", async (_names, rows) => {
    const { runs, sample, parts, tookMs } = await outcomes(rows);
    const expected = rows.map(([, , outcome], at) => expectedOf(outcome, runs[at] ?? null));
    const seen = rows.map(([name], at) => [name, runs[at]?.outcome]);
    expect(seen).toEqual(rows.map(([name], at) => [name, expected[at]]));
    for (const [at, outcome] of expected.entries()) {
      const counted = new RegExp(`_runs_total.*"${parts[at]}".*outcome="${outcome}"`);
      expect(await sample(counted)).toBe(1);
    }
    expect(tookMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(MEMORY_BYTES_MAX);
  });
});

const signIn =
  (status: number): Required<Hostility>["poll"] =>
  (response) => {
    response.writeHead(status, { "content-type": "text/html" });
    response.end("<!doctype html><title>Sign in</title>");
  };

it.each([
  [
    "a submission",
    { submit: signIn(200) },
    /^the submission: answered 200 with a web page "Sign in", as of something in front [^;]*; the /,
  ],
  [
    "a submission with 403",
    { submit: signIn(403) },
    /^the submission: answered 403 with a web page "Sign in", as of something in front of the /,
  ],
  [
    "a poll",
    { poll: signIn(401) },
    /; the last poll was answered 401 with a web page "Sign in", as of /,
  ],
])("that %s is answered with a web page is said, with its title", async (name, hostility, why) => {
  const { runs } = await outcomes([[name, hostility, "http_error"]]);
  expect(runs[0]?.why).toMatch(why);
});

it.each([
  ["with its error's code", "E_WORKER", "the job failed (E_WORKER); expected completed"],
  ["without words that may be of its input", "no späße", "the job failed; expected completed"],
])("that a job failed is said %s", async (name, code, why) => {
  const failed = hostile.job("job_success", "failed", { error: { code, message: "späße" } });
  const { runs } = await outcomes([[name, { poll: json(200, failed) }, "wrong_state"]]);
  expect(runs[0]).toMatchObject({ outcome: "wrong_state", why });
});

describe("a job that ends", () => {
  it.each<Row>([
    ["no result", { poll: json(200, completed("job_success", { result: null })) }, "wrong_result"],
    [
      covers("variant B for a job of variant A", "22 probe"),
      { poll: json(200, variantB) },
      "wrong_result",
    ],
  ])("with %s is told as such", async (...row) => {
    const { runs } = await outcomes([row]);
    expect(runs).toMatchObject([{ outcome: row[2] }]);
  });

  const [before = "", after = ""] = JSON.stringify(completed("job_success")).split("hi");

  it(covers("with bytes that are no text is a success", "18 probe"), async () => {
    const poll = hostile.notUtf8(200, before, after);
    const { runs } = await outcomes([["bytes", { poll }, "success"]]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
  });

  it(covers("and costs what nothing can cost leaves a budget that holds", "24 probe"), async () => {
    const costs = [null, -1e6, 1e308, "NaN", "1e999"];
    const { sample } = await outcomes(
      costs.map((cost) => {
        const text = JSON.stringify(completed("job_success", { cost_credits: "cost" }));
        const spelt = cost === "1e999" ? cost : JSON.stringify(cost);
        return ["", { poll: json(200, text.replace('"cost"', spelt)) }, "success"];
      }),
    );
    for (const unit of ["jobs", "credits", "usd"]) {
      const spent = await sample(new RegExp(`^plumbline_spent_${unit}_total`));
      expect([unit, spent >= 0 && Number.isFinite(spent)]).toEqual([unit, true]);
    }
  });

  it("in a packed answer is a success, and breaks no promise", async () => {
    const poll = hostile.packedJson(200, () => completed("job_success"));
    const { runs, sample } = await outcomes([["packed", { poll }, "success"]]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
    expect(await sample(/^plumbline_promise_violations_total\{promise="job\./)).toBe(0);
  });

  it("with a result of megabytes is a success", async () => {
    const result = { text: "x".repeat(3e6) };
    const poll = json(200, completed("job_success", { result }));
    const { runs } = await outcomes([["long", { poll }, "success"]]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
  });

  it("with a result of any depth is judged, or said not to be", async () => {
    const end = JSON.stringify(completed("job_success")).replace('{"text":"hi"}', `{"a":${deep}}`);
    const { runs } = await outcomes([["deep", { poll: json(200, end) }, "success"]]);
    expect(["success", "probe_error"]).toContain(runs[0]?.outcome);
  });

  it(covers("with keys that every object has is a job with such keys", "20 probe"), async () => {
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const end = JSON.stringify(completed("job_success")).replace('{"text":"hi"}', evil);
    const { runs } = await outcomes([["proto", { poll: json(200, end) }, "success"]]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe("an identifier", () => {
  it.each(IDENTIFIERS)(covers("such as %j is asked for as it is", "21 probe"), async (jobId) => {
    const poll = json(200, completed(jobId));
    const { runs, service } = await outcomes([["odd", { jobId, poll }, "success"]]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
    expect(service.paths.map(decodeURIComponent)).toContain(`/v1/jobs/${jobId}`);
  });

  it(covers("of a hundred kilobytes is asked for as it is", "21 probe"), async () => {
    const jobId = "ä".repeat(50_000);
    const { runs, service } = await outcomes([
      ["long", { jobId, poll: json(200, completed(jobId)) }, "success"],
    ]);
    expect(runs).toMatchObject([{ outcome: "success" }]);
    expect(service.paths.includes(`/v1/jobs/${encodeURIComponent(jobId)}`)).toBe(true);
  });

  it("of half a character is survived", async () => {
    const jobId = "\ud800";
    const poll = json(200, completed(jobId));
    const { runs } = await outcomes([["odd", { jobId, poll }, "success"]]);
    expect(runs).toHaveLength(1);
    expect(runs[0]).not.toBeNull();
  });
});

describe("a 429", () => {
  it("ends in rate_limited, is counted, and its Retry-After is kept to", async () => {
    const submit = json(429, {}, { "retry-after": "30" });
    const { probe, sample, runs, service } = await outcomes([["429", { submit }, "rate_limited"]]);
    expect(runs).toMatchObject([{ outcome: "rate_limited" }]);
    expect(await sample(/^plumbline_http_rate_limited_total.*workers.*jobs/)).toBe(1);
    expect(await sample(/^plumbline_http_retry_after_seconds/)).toBe(30);
    expect([...(await probe.once()).values()]).toEqual([null]);
    expect(await sample(/_skipped_total.*reason="rate_limited"/)).toBe(1);
    expect(service.paths.filter((path) => path.endsWith("/jobs"))).toHaveLength(1);
  });

  it(
    covers("in mid-run with a wait beyond the deadline ends in rate_limited", "26 probe"),
    async () => {
      const poll = json(429, {}, { "retry-after": "60" });
      const { runs } = await outcomes([["429", { poll }, "rate_limited"]]);
      expect(runs).toMatchObject([{ outcome: "rate_limited" }]);
    },
  );

  it.each([
    ["absent", {}, "present"],
    ["no number", { "retry-after": "soon" }, "valid"],
  ])(
    covers("whose Retry-After is %s breaks a promise", "26 probe"),
    async (_, headers, promise) => {
      const submit = json(429, {}, headers);
      const { sample } = await outcomes([["429", { submit }, "rate_limited"]]);
      expect(await sample(new RegExp(`violations_total.*retry-after-${promise}`))).toBe(1);
    },
  );
});

describe("a redirect", () => {
  const STATUSES = [301, 302, 303, 307, 308];
  const redirected = (to: string) => STATUSES.map((status) => json(status, "", { location: to }));

  it.each(["submit", "poll"] as const)(
    covers("of a %s is not followed: the key stays here", "13 probe"),
    async (what) => {
      let visits = 0;
      const elsewhere = createServer(() => {
        visits += 1;
      });
      const answers = redirected(`http://127.0.0.1:${await serveOn(elsewhere)}/`);
      const { runs } = await outcomes(
        answers.map((answer) => ["", { [what]: answer }, "http_error"]),
      );
      expect(runs.map((run) => run?.outcome)).toEqual(STATUSES.map(() => "http_error"));
      expect(visits).toBe(0);
    },
  );
});

describe("no connection", () => {
  const settledOn = async (baseUrl: string) => {
    const asked = { parts: ["success"], deadlineMs: DEADLINE_MS } as const;
    const { probe } = await probeOn({ baseUrl }, asked);
    return (await probe.once()).get("success");
  };
  const certificate = { cert: EXPIRED_CERTIFICATE, key: EXPIRED_CERTIFICATE_KEY };

  it("for a certificate that nobody vouches for is an http_error, and no key is sent", async () => {
    let requests = 0;
    const server = createTlsServer(certificate, () => {
      requests += 1;
    });
    const settled = await settledOn(`https://127.0.0.1:${await serveOn(server)}`);
    expect(settled).toMatchObject({
      outcome: "http_error",
      why: "the submission: no response (tls)",
    });
    expect(requests).toBe(0);
  });

  const trusting = (authority: string) => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, authority]);
    onTestFinished(() => setDefaultCACertificates(trusted));
  };
  const given = { cert: fronts.LOCALHOST_CERTIFICATE, key: fronts.LOCALHOST_CERTIFICATE_KEY };

  it(covers("for a certificate of another host is an http_error", "12 probe"), async () => {
    let requests = 0;
    const server = createTlsServer(given, () => {
      requests += 1;
    });
    const port = await serveOn(server, "127.0.0.2");
    trusting(fronts.AUTHORITY_CERTIFICATE);
    const settled = await settledOn(`https://127.0.0.2:${port}`);
    expect(settled).toMatchObject({
      outcome: "http_error",
      why: "the submission: no response (tls)",
    });
    expect(requests).toBe(0);
  });

  it("fails for a certificate that is good, and the metric says until when it is", async () => {
    const server = createTlsServer(given, (_, response) => response.end("{}"));
    const port = await serveOn(server);
    trusting(fronts.AUTHORITY_CERTIFICATE);
    const asked = { parts: ["success"], deadlineMs: DEADLINE_MS } as const;
    const { probe, sample } = await probeOn({ baseUrl: `https://127.0.0.1:${port}` }, asked);
    await probe.once();
    const expiry = await sample(/^plumbline_certificate_expiry_timestamp_seconds/);
    expect(expiry).toBe(Date.UTC(2126, 9, 30, 14, 38, 30) / 1_000);
    const days = (await sample(/^plumbline_certificate_lifetime_seconds/)) / 86_400;
    expect(days).toBe(36_500);
  });

  it("offers HTTP/2: over it undici would send a refused submission again", async () => {
    const offered = new Set<string>();
    const ALPNCallback = ({ protocols }: { protocols: string[] }) => {
      for (const protocol of protocols) offered.add(protocol);
      return "http/1.1";
    };
    const server = createTlsServer({ ...certificate, ALPNCallback });
    await settledOn(`https://127.0.0.1:${await serveOn(server)}`);
    expect([...offered]).toEqual(["http/1.1"]);
  });

  it(
    covers("for a certificate of someone trusted that has expired is an http_error", "11 probe"),
    async () => {
      let requests = 0;
      const server = createTlsServer(certificate, () => {
        requests += 1;
      });
      const port = await serveOn(server);
      trusting(EXPIRED_CERTIFICATE);
      const error = await new Promise<Error>((resolve) => {
        connect({ host: "127.0.0.1", port, servername: "localhost" }).on("error", resolve);
      });
      expect(error).toMatchObject({ code: "CERT_HAS_EXPIRED" });
      const settled = await settledOn(`https://127.0.0.1:${port}`);
      expect(settled).toMatchObject({
        outcome: "http_error",
        why: "the submission: no response (tls)",
      });
      expect(requests).toBe(0);
    },
  );
});
