/** What a method and a target mean: over HTTP and in process, and the same in both. */

import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { textOf } from "../../reference/http.ts";
import { bigKey } from "./big-key.ts";
import { start } from "./client.ts";
import { openCore } from "./core-of.ts";

const LONG = "x".repeat(100);
const NO_ENDPOINT = "404 not_found";

/** A method, a target, and how the answer to a known key begins. */
const ROUTING: [string, string, string][] = [
  ["GET", "/v1/me", "200 account_id"],
  ["GET", "/v1/me?x=1", "200 account_id"],
  ["GET", "/v1/me#part", "200 account_id"],
  ["GET", "/v1/%6De", "200 account_id"],
  ["GET", "http://127.0.0.1/v1/me", "200 account_id"],
  ["GET", "HTTP://127.0.0.1:80/v1/me?x", "200 account_id"],
  ["GET", "http://127.0.0.1", NO_ENDPOINT],
  ["GET", "http://127.0.0.1?x=/v1/me", NO_ENDPOINT],
  ["GET", "http://a%3Fb/v1/me", NO_ENDPOINT],
  ["GET", "ftp://127.0.0.1/v1/me", NO_ENDPOINT],
  ["OPTIONS", "*", NO_ENDPOINT],
  ["GET", "/v1/me/", NO_ENDPOINT],
  ["GET", "/v1//me", NO_ENDPOINT],
  ["GET", "/V1/me", NO_ENDPOINT],
  ["GET", "/v1%2Fme", NO_ENDPOINT],
  ["GET", "/v1/me;a=1", NO_ENDPOINT],
  ["GET", "/", NO_ENDPOINT],
  ["POST", "/v1/me", NO_ENDPOINT],
  ["OPTIONS", "/v1/me", NO_ENDPOINT],
  ["TRACE", "/v1/me", NO_ENDPOINT],
  ["PROPFIND", "/v1/me", NO_ENDPOINT],
  ["GET", "/v1/jobs", "200 jobs"],
  ["GET", "/v1/jobs/", '404 job_not_found there is no job ""'],
  ["GET", "/v1/jobs/nix", '404 job_not_found there is no job "nix"'],
  ["GET", "/v1/jobs/nix/", NO_ENDPOINT],
  ["GET", "/v1/jobs/nix/more", NO_ENDPOINT],
  ["GET", "/v1/jobs/a%2Fb", '404 job_not_found there is no job "a/b"'],
  ["GET", "/v1/jobs/a%252Fb", '404 job_not_found there is no job "a%2Fb"'],
  ["GET", "/v1/jobs/a%25b", '404 job_not_found there is no job "a%b"'],
  ["GET", "/v1/jobs/%C3%A9%2fx", '404 job_not_found there is no job "é/x"'],
  ["GET", "/v1/jobs/a%3Fb", '404 job_not_found there is no job "a?b"'],
  ["GET", "/v1/jobs/a+b?c=%", '404 job_not_found there is no job "a+b"'],
  ["GET", "/v1/jobs/%E0%A4", NO_ENDPOINT],
  ["GET", "/v1/jobs/%zz", NO_ENDPOINT],
  ["GET", "/v1/jobs/%", NO_ENDPOINT],
  ["GET", `/v1/jobs/${LONG}`, `404 job_not_found there is no job "${LONG}"`],
  ["GET", `/v1/jobs/${LONG}x`, NO_ENDPOINT],
  ["GET", `/v1/jobs/${"%2F".repeat(100)}`, "404 job_not_found"],
  ["GET", `/v1/jobs/${"%C3%A9".repeat(101)}`, NO_ENDPOINT],
  ["DELETE", "/v1/jobs/nix", "404 job_not_found"],
  ["DELETE", "/v1/jobs", NO_ENDPOINT],
  ["PATCH", "/v1/jobs/nix", NO_ENDPOINT],
  ["GET", "/v1/workers/ech%6F", "200 worker_id"],
  ["GET", "/v1/workers/", '404 worker_not_found there is no worker ""'],
  ["GET", "/v1/workers//", NO_ENDPOINT],
  ["GET", "/v1/workers/echo/jobs", NO_ENDPOINT],
  ["GET", "/v1/workers/echo/publish", NO_ENDPOINT],
  ["POST", "/v1/workers/echo/jobs", "400 malformed_body"],
  ["POST", "/v1/workers/echo/jobs/", NO_ENDPOINT],
  ["POST", "/v1/workers//jobs", '404 worker_not_found there is no worker ""'],
  ["POST", "/v1/workers/a%2Fb/jobs", '404 worker_not_found there is no worker "a/b"'],
  ["POST", "/v1/workers/jobs", NO_ENDPOINT],
  ["POST", "/v1/workers/%E0%A4/jobs", NO_ENDPOINT],
  ["POST", `/v1/workers/${LONG}x/publish`, NO_ENDPOINT],
  ["POST", "/v1/workers/publish/publish", '404 worker_not_found there is no worker "publish"'],
  ["GET", "/storage/x", "403 the address is invalid"],
  ["GET", "/storage/", "403 the address is invalid"],
  ["GET", "/storage/x/y", NO_ENDPOINT],
  ["POST", "/storage/x", NO_ENDPOINT],
  ["POST", "/_reference/faults", NO_ENDPOINT],
];

/** A query, and the workers that it finds. */
const QUERIES: [string, number][] = [
  ["?q=Echo&q=Brief", 1],
  ["?a=b=c&q=ec%68o", 1],
  ["?q=%E0%A4", 0],
  ["?q=render+a", 0],
  ["?q", 8],
  ["?&&category=data%20", 0],
];

function told(status: number, text: string): string {
  const body = JSON.parse(text) as { error?: string; message?: string };
  const error = body.error === undefined ? undefined : `${body.error} ${body.message ?? ""}`;
  return `${status} ${error ?? Object.keys(body)[0]}`;
}

interface Wire {
  status: number;
  type: string | undefined;
  text: string;
}

/** Sends the target as it stands: no client library tidies it up. */
function send(base: string, method: string, path: string, key: string): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const sent = request(base, { method, path, headers: { "x-api-key": key } }, (reply) => {
      let text = "";
      reply.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      reply.on("end", () => {
        resolve({ status: reply.statusCode ?? 0, type: reply.headers["content-type"], text });
      });
    });
    sent.on("error", reject).end();
  });
}

describe("a request", () => {
  it("means the same over HTTP and in process", async () => {
    const { service } = await start();
    const caller = openCore();
    const key = bigKey(caller.core);
    for (const [method, target, expected] of ROUTING) {
      const wire = await send(service.baseUrl, method, target, key);
      const name = `${method} ${target}`;
      expect(`${name}: ${told(wire.status, wire.text)}`).toContain(`${name}: ${expected}`);
      const { answer } = caller.call(method, target);
      expect([name, answer.status, answer.headers["content-type"]]).toEqual([
        name,
        wire.status,
        wire.type,
      ]);
      expect(told(answer.status, textOf(answer) ?? "")).toBe(told(wire.status, wire.text));
    }
  });

  it("with the method HEAD is for no endpoint", async () => {
    const { service } = await start();
    const caller = openCore();
    const key = bigKey(caller.core);
    for (const target of ["/v1/me", "/storage/x"]) {
      expect((await send(service.baseUrl, "HEAD", target, key)).status).toBe(404);
      expect(caller.call("HEAD", target).answer.status).toBe(404);
    }
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "cancels by the method that was chosen: %s",
    async (cancelMethod) => {
      const { call } = await start({ choices: { cancelMethod } });
      const caller = openCore({ choices: { cancelMethod } });
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const error = method === cancelMethod ? "job_not_found" : "not_found";
        expect((await call(method, "/v1/jobs/nix")).body.error).toBe(error);
        expect(caller.call(method, "/v1/jobs/nix").answer.body).toMatchObject({ error });
      }
    },
  );

  it("finds the same workers over HTTP and in process", async () => {
    const { get } = await start();
    const caller = openCore();
    for (const [query, count] of QUERIES) {
      const path = `/v1/workers${query}`;
      const { text, body } = await get(path);
      expect([query, (body.workers as unknown[]).length]).toEqual([query, count]);
      expect(textOf(caller.get(path))).toBe(text);
    }
  });
});

describe("a key", () => {
  it.each([
    ["in any case", ["x-API-key", "KEY"], 200],
    ["that is given twice", ["x-api-key", "KEY", "X-Api-Key", "KEY"], 401],
    ["under another name of that length", ["x-api-kez", "KEY"], 401],
    ["that is empty", ["x-api-key", ""], 401],
  ])("%s: %j -> %i", (_name, headers, status) => {
    const { core } = openCore();
    const key = bigKey(core);
    const rawHeaders = headers.map((text) => (text === "KEY" ? key : text));
    const asked = { method: "GET", path: "/v1/me", query: "", body: "" };
    const { answer } = core.handle({ ...asked, rawHeaders, connection: {} });
    expect(answer.status).toBe(status);
  });
});
