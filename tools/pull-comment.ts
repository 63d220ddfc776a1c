/**
 * Keeps one comment on a pull request: writes it, or writes it anew. It is known by a name that
 * nobody sees. What goes wrong is told as a warning: a comment changes no verdict.
 * Usage: node tools/pull-comment.ts FILE NUMBER NAME; GITHUB_API_URL, GITHUB_REPOSITORY and
 * GITHUB_TOKEN say where. Source: GitHub's REST API, "Issue comments".
 */

import { readFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../contract/text/thrown.ts";

/** GitHub takes 65,536 characters; what is left is for the mark and the end. */
const TEXT_CHARS_MAX = 64_000;
const PAGE = 100;

const comments = z.array(z.object({ id: z.number(), body: z.string().nullable() }));

const [file = "", number = "", name = ""] = process.argv.slice(2);
const { GITHUB_API_URL = "", GITHUB_REPOSITORY = "", GITHUB_TOKEN = "" } = process.env;
const ISSUES = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;
const MARK = `<!-- ${name} -->`;

async function ask(method: string, url: string, body?: string): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${GITHUB_TOKEN}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify({ body }) }),
  });
  if (response.ok) return await response.json();
  const remedy = response.status === 403 ? "; expected the permission pull-requests: write" : "";
  throw new Error(`${method} ${new URL(url).pathname} was answered ${response.status}${remedy}`);
}

/** The comment of an earlier run, by its mark; null where there is none. */
async function earlier(): Promise<number | null> {
  for (let page = 1; ; page += 1) {
    const url = `${ISSUES}/${number}/comments?per_page=${PAGE}&page=${page}`;
    const found = comments.parse(await ask("GET", url));
    const own = found.find(({ body }) => body?.startsWith(MARK));
    if (own !== undefined) return own.id;
    if (found.length < PAGE) return null;
  }
}

/** What is quoted of the service calls nobody: an @ would. */
function bodyOf(text: string): string {
  const whole = text.length <= TEXT_CHARS_MAX;
  const shown = whole ? text : `${text.slice(0, TEXT_CHARS_MAX)}\n\n... the report has the rest`;
  return `${MARK}\n${shown.replaceAll("@", "@\u200b")}`;
}

try {
  const body = bodyOf(await readFile(file, "utf8"));
  const id = await earlier();
  if (id === null) await ask("POST", `${ISSUES}/${number}/comments`, body);
  else await ask("PATCH", `${ISSUES}/comments/${id}`, body);
} catch (error) {
  process.stdout.write(`::warning title=plumbline::no comment: ${messageOf(error)}\n`);
}
