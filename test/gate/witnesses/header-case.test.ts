/** The witness of auth.header-case against servers that read header names in their own way. */

import { describe, expect, it } from "vitest";
import { headerCaseWitness } from "../../../gate/witnesses/header-case.ts";
import { testimonyOf } from "../../../gate/witnesses/witness.ts";
import { serveBytes } from "../../http/serve.ts";
import { contextFor, KEY_VALUE } from "./context.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const NONE = "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
const refusal = (status: number) => `HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`;

const workers = { success: { id: "echo", input: {} } };

/** Spellings of the key header in a request, as they were sent. */
const spellingOf = (request: string) => /^(x-api-key): (.*)$/im.exec(request)?.slice(1, 3) ?? [];

type Answer = (spelling: string, count: number, line: string) => string;

async function judge(answer: Answer) {
  const seen: string[] = [];
  const values = new Set<string>();
  const baseUrl = await serveBytes((request, socket) => {
    const [spelling = "", value = ""] = spellingOf(request);
    seen.push(spelling);
    values.add(value.trim());
    const [line = ""] = request.split("\r\n");
    const isMadeUp = line.includes("no-such");
    const given = answer(spelling, seen.length, line);
    socket.end(given === OK && isMadeUp ? NONE : given);
  });
  const given = contextFor(baseUrl, { workers });
  const context = { ...given, net: { ...given.net, sleep: async () => {} } };
  const { finding, notes } = await testimonyOf(headerCaseWitness, context);
  return { finding, notes, seen, values };
}

describe("auth.header-case", () => {
  it("is kept where every spelling counts, and sends them as they are written", async () => {
    const { finding, seen, values } = await judge(() => OK);
    expect(finding.verdict).toBe("kept");
    const spellings = ["x-api-key", "X-Api-Key", "X-API-KEY"];
    expect(seen).toEqual(Array.from({ length: 8 }, () => spellings).flat());
    expect([...values]).toEqual([KEY_VALUE]);
  });

  it.each(["x-api-key", "X-Api-Key", "X-API-KEY"])("is broken where %s gets 401", async (bad) => {
    const { finding } = await judge((spelling) => (spelling === bad ? refusal(401) : OK));
    expect(finding.verdict).toBe("broken");
    expect(finding.summary).toContain(`"${bad}" is refused`);
    expect(finding.observations.map((each) => each.answer)).toContain("401");
    expect(JSON.stringify(finding)).not.toContain(KEY_VALUE);
  });

  it("says which spelling got which answer", async () => {
    const { finding } = await judge((spelling) => (spelling === "X-API-KEY" ? refusal(401) : OK));
    const answers = ["x-api-key 200", "X-Api-Key 200", "X-API-KEY 401"];
    expect(finding.evidence).toMatchObject({ answers });
  });

  it.each([
    ["X-Api-Key", 1],
    ["X-API-KEY", 0],
  ])("where %s is refused, has %i notes on requests of the scenarios", async (bad, count) => {
    const { notes } = await judge((spelling) => (spelling === bad ? refusal(401) : OK));
    expect(notes).toHaveLength(count);
  });

  it("is broken where one endpoint alone refuses a spelling", async () => {
    const { finding } = await judge((spelling, count) =>
      spelling === "X-API-KEY" && count > 9 ? refusal(401) : OK,
    );
    expect(finding.verdict).toBe("broken");
    expect(finding.summary).toContain('"X-API-KEY" is refused by GET /v1/jobs');
  });

  it.each([
    ["GET /v1/workers/echo", "GET /v1/workers/{worker_id}"],
    ["GET /v1/jobs/", "GET /v1/jobs/{job_uuid}"],
    ["POST /v1/workers/", "POST /v1/workers/{worker_id}/jobs"],
  ])("is broken where %s alone refuses a spelling", async (start, named) => {
    const { finding } = await judge((spelling, _count, line) =>
      spelling === "X-API-KEY" && line.startsWith(start) ? refusal(401) : OK,
    );
    expect(finding.verdict).toBe("broken");
    expect(finding.summary).toContain(`"X-API-KEY" is refused by ${named}`);
  });

  it("is kept where a made-up worker is refused in every spelling", async () => {
    const { finding } = await judge((_spelling, _count, line) =>
      line.startsWith("POST") ? refusal(403) : OK,
    );
    expect(finding.verdict).toBe("kept");
  });

  it("submits no more than once to a service that takes a made-up worker", async () => {
    const accepted = "HTTP/1.1 202 OK\r\nContent-Length: 2\r\n\r\n{}";
    const lines: string[] = [];
    await judge((_spelling, _count, line) => {
      lines.push(line);
      return line.startsWith("POST") ? accepted : OK;
    });
    expect(lines.filter((line) => line.startsWith("POST"))).toHaveLength(1);
  });

  it.each([
    ["all endpoints answer", OK, 18],
    ["the worker list alone does not", refusal(503), 15],
  ])("counts the requests that tell something, where %s", async (_, ofWorkers, count) => {
    const { finding } = await judge((_spelling, _at, line) =>
      line.startsWith("GET /v1/workers ") ? ofWorkers : OK,
    );
    expect(finding).toMatchObject({ verdict: "kept" });
    expect(finding.strength?.looks).toEqual([{ of: "requests", count }]);
  });

  it("is inconclusive where no spelling is accepted", async () => {
    expect((await judge(() => refusal(401))).finding.verdict).toBe("inconclusive");
    expect((await judge(() => refusal(404))).finding.verdict).toBe("inconclusive");
  });

  it("is inconclusive where the same spelling is refused once and then accepted", async () => {
    const { finding } = await judge((_, count) => (count === 2 ? refusal(401) : OK));
    expect(finding.verdict).toBe("inconclusive");
  });

  it("is inconclusive where the spelling that was accepted is refused as well", async () => {
    const { finding } = await judge((_, count) => ([2, 4].includes(count) ? refusal(401) : OK));
    expect(finding.verdict).toBe("inconclusive");
  });

  it("waits out a 429 as it is told", async () => {
    const limited = "HTTP/1.1 429 Slow\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n";
    const { finding } = await judge((_, count) => (count === 1 ? limited : OK));
    expect(finding.verdict).toBe("kept");
  });

  it.each([
    ["chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"],
    ["without a length", "HTTP/1.1 200 OK\r\n\r\n{}"],
    ["after an interim answer", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`],
    ["large", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(1_000_000)}`],
  ])("reads an answer that is %s", async (_, answer) => {
    expect((await judge(() => answer)).finding.verdict).toBe("kept");
  });

  it("is inconclusive where there is no answer", async () => {
    const baseUrl = await serveBytes((_, socket) => void socket.destroy());
    const { finding } = await testimonyOf(headerCaseWitness, contextFor(baseUrl));
    expect(finding.verdict).toBe("inconclusive");
    expect(finding.reason).toContain("no response");
  });

  it("is unobserved without an active key", async () => {
    const { finding } = await testimonyOf(
      headerCaseWitness,
      contextFor("http://127.0.0.1:9", { keys: [] }),
    );
    expect(finding).toMatchObject({ verdict: "unobserved", reason: "no active key is configured" });
  });

  it("stops when the run is interrupted", async () => {
    const controller = new AbortController();
    const baseUrl = await serveBytes(() => controller.abort());
    const context = { ...contextFor(baseUrl), signal: controller.signal };
    await expect(testimonyOf(headerCaseWitness, context)).rejects.toThrow();
  });
});
