/** Targets that are not there, are something else, or refuse what the target file says. */

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";

import { startReference } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { listen } from "../http/listen.ts";
import type { CliRun } from "./run-cli.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const SECRET = "secret-key-0123456789";

interface Listening extends AsyncDisposable {
  port: number;
}

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  return {
    port: await listen(server),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Judges the target at that address with one key; further lines join the target file. */
async function gate(baseUrl: string, key = SECRET, ...lines: string[]): Promise<CliRun> {
  await using folder = await temporaryFolder();
  const file = await folder.write(
    "plumbline.yaml",
    [
      `target: { baseUrl: "${baseUrl}" }`,
      "keys: [ { name: only-one, plan: free, env: THE_KEY } ]",
      ...lines,
    ].join("\n"),
  );
  const args = ["gate", "--target", file, "--report", `${folder.path}/report`];
  const run = await runHere(args, { environment: { THE_KEY: key } });
  expect(run.stderr + run.stdout).not.toContain(key);
  expect(run.stderr).not.toMatch(/^\s+at /m);
  return run;
}

const html: RequestListener = (_, response) => {
  response.setHeader("content-type", "text/html").end("<!DOCTYPE html><title>Welcome</title>");
};

const ROWS: readonly { title: string; answer: RequestListener; says: RegExp }[] = [
  {
    title: covers("a web site", "17 gate"),
    answer: html,
    says: /GET \/v1\/me was answered 200 and HTML; expected the JSON of the job service/,
  },
  {
    title: "a web site's page for what it does not have",
    answer: (request, response) => {
      response.statusCode = 404;
      html(request, response);
    },
    says: /answered 404 and HTML/,
  },
  {
    title: "another API",
    answer: (_, response) => {
      response.statusCode = 404;
      response.end("{}");
    },
    says: /answered 404; expected 200 and JSON/,
  },
  {
    title: covers("a redirect, with its goal but without its query", "13 gate"),
    answer: (_, response) => {
      response.writeHead(301, { location: `https://elsewhere.example/v1?k=${SECRET}` }).end();
    },
    says: /answered 301 to "https:\/\/elsewhere\.example\/v1"; redirects are not followed/,
  },
  {
    title: "a gateway without a service behind it",
    answer: (_, response) => {
      response.statusCode = 503;
      response.end('{"error":"no upstream"}');
    },
    says: /answered 503; expected 200 and JSON/,
  },
  {
    title: covers("a key that must rest for an hour", "26 gate"),
    answer: (_, response) => {
      response.writeHead(429, { "retry-after": "3600" }).end("{}");
    },
    says: /key "only-one" \(from THE_KEY\): still answered 429 with Retry-After "3600"/,
  },
];

describe("gate reaches no verdict (111) at", () => {
  it.each(ROWS)("$title", async ({ answer, says }) => {
    await using server = await listening(createHttpServer(answer));
    const run = await gate(`http://127.0.0.1:${server.port}`);
    expect(run.stderr).toMatch(says);
    expect(run.exitCode).toBe(111);
  });

  it(covers("a port on which nobody listens", "1 gate"), async () => {
    const server = await listening(createServer());
    await server[Symbol.asyncDispose]();
    const run = await gate(`http://127.0.0.1:${server.port}`);
    expect(run.stderr).toMatch(/error \(target-unreachable\): .*the connection was refused/);
    expect(run.exitCode).toBe(111);
  });

  it("a service that does not speak HTTP", async () => {
    const greet = (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n");
    await using server = await listening(createServer(greet));
    const run = await gate(`http://127.0.0.1:${server.port}`);
    expect(run.stderr).toMatch(/error \(target-unreachable\): .*expected an HTTP service/);
    expect(run.exitCode).toBe(111);
  });

  it("a service without TLS behind https", async () => {
    await using server = await listening(createHttpServer(html));
    const run = await gate(`https://127.0.0.1:${server.port}`);
    expect(run.stderr).toMatch(/no TLS connection could be made; .*, and HTTP\/1\.1 beside/);
    expect(run.exitCode).toBe(111);
  });
});

describe("gate refuses (104)", () => {
  it("a wrong key, by its name and variable", async () => {
    const service = await startReference();
    const run = await gate(service.baseUrl).finally(() => service.close());
    expect(run.stderr).toMatch(
      /error \(key-refused\): key "only-one" \(from THE_KEY\): .* 401; .*init: THE_KEY:revoked/,
    );
    expect(run.exitCode).toBe(104);
  });

  it("unknown workers and refused inputs, all of them at once", async () => {
    const service = await startReference();
    const key = service.keys.find(({ state }) => state === "active")?.value ?? "";
    const workers = [
      "workers:",
      "  success: { id: no-such-worker }",
      "  slow: { id: sleep, input: { seconds: many } }",
      "  timeout: { id: sleep-short, input: { seconds: 60 } }",
    ];
    const run = await gate(service.baseUrl, key, ...workers).finally(() => service.close());
    expect(run.stderr).toMatch(
      /success\.id "no-such-worker": GET \/v1\/workers\/no-such-worker was answered 404/,
    );
    expect(run.stderr).toMatch(
      /workers\.slow\.input does not fit the input_schema of worker "sleep": \/seconds must be/,
    );
    expect(run.stderr).not.toMatch(/workers\.timeout/);
    expect(run.exitCode).toBe(104);
  });

  it(covers("a webhook address that is taken", "36 gate"), async () => {
    await using server = await listening(createServer());
    const service = await startReference({ timeScale: 0.02 });
    const key = service.keys.find(({ state }) => state === "active")?.value ?? "";
    const webhook = `webhook: { listen: "127.0.0.1:${server.port}" }`;
    const run = await gate(service.baseUrl, key, webhook).finally(() => service.close());
    expect(run.stderr).toMatch(/error \(listen-failed\): cannot listen on .* \(EADDRINUSE\)/);
    expect(run.exitCode).toBe(104);
  });

  it("a target file that is not there", async () => {
    const run = await runCli(["gate", "--target", "nowhere.yaml"]);
    expect(run.stderr).toMatch(/cannot read the target file "nowhere.yaml" \(ENOENT\)/);
    expect(run.exitCode).toBe(104);
  });

  it.each([
    ["Latin-1", Buffer.from("# a\n# caf\u00e9\n", "latin1"), "byte 0xe9 in line 2, at its byte 6,"],
    ["UTF-16", Buffer.from("\ufeffkeys:\n", "utf16le"), "it is in UTF-16, from its first bytes"],
    ["UTF-16 without a mark", Buffer.from("keys:\n", "utf16le"), "it is in UTF-16"],
  ])("a target file in %s", async (_, bytes, says) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, "plumbline.yaml");
    await writeFile(file, bytes);
    const run = await runHere(["gate", "--target", file]);
    expect(run.stderr).toContain(says);
    expect(run.stderr).toContain("expected a YAML file in UTF-8");
    expect(run.exitCode).toBe(104);
  });

  it("a device in place of a target file, which has no end", async () => {
    const run = await runCli(["gate", "--target", "/dev/zero"]);
    expect(run.stderr).toMatch(/cannot read the target file "\/dev\/zero" \(more than \d+ bytes\)/);
    expect(run.exitCode).toBe(104);
  });
});
