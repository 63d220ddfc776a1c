/** The comment on a pull request: one, written anew by later runs; without it nothing fails. */

import { writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { expect, it } from "vitest";
import { captureOutput } from "../../runner/capture-output.ts";
import { ROOT } from "../../runner/package-root.ts";
import { serve } from "../http/serve.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

const SCRIPT = path.join(ROOT, "tools/pull-comment.ts");

interface Comment {
  id: number;
  body: string;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += String(part);
  return text;
}

/** The part of GitHub's interface that comments take; `mayWrite`: the token's permission. */
async function startGitHub(comments: Comment[], mayWrite = true) {
  const asked: string[] = [];
  const url = await serve(async (request, response) => {
    const { method = "", headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    asked.push(`${method} ${pathname} ${headers.authorization}`);
    const answer = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (method === "GET") {
      const page = Number(searchParams.get("page"));
      return answer(200, comments.slice((page - 1) * 100, page * 100));
    }
    if (!mayWrite) return answer(403, { message: "Resource not accessible by integration" });
    const { body } = JSON.parse(await textOf(request)) as { body: string };
    const [, id] = /\/comments\/(\d+)$/.exec(pathname) ?? [];
    const found = comments.find((each) => String(each.id) === id);
    if (found !== undefined) found.body = body;
    else comments.push({ id: comments.length + 1, body });
    return answer(found === undefined ? 201 : 200, {});
  });
  return { asked, url };
}

async function comment(url: string, text: string, name = "plumbline-baseline-a") {
  const file = path.join(await temporaryFolder(), "summary.md");
  await writeFile(file, text);
  const env = {
    PATH: process.env.PATH,
    GITHUB_API_URL: url,
    GITHUB_REPOSITORY: "owner/name",
    GITHUB_TOKEN: "a-token",
  };
  const words = [SCRIPT, file, "7", name];
  const run = await captureOutput(process.execPath, words, { env, timeLimitMs: 60_000 });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(`${run.stdout}${run.stderr}`).not.toContain("a-token");
  return run.stdout;
}

it("is written once, and anew by a later run, also behind a hundred others", async () => {
  const others = Array.from({ length: 130 }, (_, at) => ({ id: at + 1, body: "of a person" }));
  const comments = [...others];
  const github = await startGitHub(comments);
  expect(await comment(github.url, "# Plumbline: PASS")).toBe("");
  expect(await comment(github.url, "# Plumbline: FAIL")).toBe("");
  expect(comments.slice(others.length)).toEqual([
    { id: 131, body: "<!-- plumbline-baseline-a -->\n# Plumbline: FAIL" },
  ]);
  expect(github.asked).toContain("PATCH /repos/owner/name/issues/comments/131 Bearer a-token");
});

it("is one for each job and target, calls nobody, and fits", async () => {
  const comments: Comment[] = [];
  const { url } = await startGitHub(comments);
  await comment(url, "answered by @somebody");
  await comment(url, "x".repeat(70_000), "plumbline-baseline-b");
  expect(comments).toHaveLength(2);
  expect(comments[0]?.body).toContain("@\u200bsomebody");
  expect(comments[1]?.body.length).toBeLessThan(65_536);
  expect(comments[1]?.body).toContain("the report has the rest");
});

it("is told as a warning where it can't be written", async () => {
  const { url } = await startGitHub([], false);
  expect(await comment(url, "text")).toMatch(/^::warning .*pull-requests: write/);
  expect(await comment("http://127.0.0.1:1", "text")).toMatch(/^::warning /);
});
