/**
 * Shell commands of the documents beside our own: requests are sent as they stand; for all other
 * tools it is said which test looks after them, so that no document brings one that nobody tries.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { ROOT } from "../../runner/package-root.ts";
import { runCli } from "../cli/run-cli.ts";
import { openReference } from "../reference/open-reference.ts";
import { blocks } from "./documents.ts";

/** What tries the commands of a tool that is not Plumbline's own. */
const TRIED_IN: Readonly<Record<string, readonly string[]>> = {
  amtool: ["test/deploy/many-locations.test.ts"],
  // Files and options: no container is started.
  docker: ["test/deploy/image.test.ts", "test/deploy/compose.test.ts"],
  // A plan by a relative path, as k6 resolves it.
  k6: ["test/runner/k6-entries.test.ts"],
  // Manifests, and the arguments of their commands: there is no cluster.
  kubectl: ["test/deploy/kubernetes/probe.test.ts", "test/deploy/kubernetes/test-run.test.ts"],
  npm: ["test/docs/commands.test.ts"],
  plumbline: ["test/docs/commands.test.ts"],
  sudo: ["test/deploy/systemd.test.ts"],
};

const commands = blocks("sh").flatMap(({ document, text }) =>
  text
    .replace(/ *\\\n */g, " ")
    .split("\n")
    .map((line) => line.replace(/ +# .*$|^#.*$/, "").trim())
    .filter((line) => line !== "")
    .map((line) => ({ document, line, tool: toolOf(line) })),
);

/** The first word behind what is set for it. */
function toolOf(line: string): string {
  return path.basename(line.replace(/^(?:[A-Z_0-9]+=\S* +)+/, "").split(" ")[0] ?? "");
}

const requests = commands.filter(({ tool }) => tool === "curl");
const ofReceiver = ({ line }: { line: string }) => /:940[12]\//.test(line);

/** The status of the answer, and what it says. */
async function send(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const told = line.replace("curl ", "curl -sS -w '\\n%{http_code}' ");
  const { stdout } = await promisify(execFile)("sh", ["-c", told], {
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  return stdout;
}

describe("shell commands of documents", () => {
  it("are of tools that a test tries", () => {
    const others = commands.filter(({ tool }) => !["curl", "export"].includes(tool));
    expect(others.filter(({ tool }) => TRIED_IN[tool] === undefined)).toEqual([]);
    const tests = Object.values(TRIED_IN).flat();
    expect(tests.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it("order faults of the reference service, which takes them", async () => {
    const service = await openReference({ timeScale: 0.02 });
    const orders = requests.filter((each) => !ofReceiver(each));
    expect(orders.length).toBeGreaterThan(3);
    for (const { line } of orders) {
      const answer = await send(line.replace("http://127.0.0.1:8080", service.baseUrl));
      const [, fault] = /_reference\/faults\/(\S+)/.exec(line) ?? [];
      expect([line, answer]).toEqual([line, expect.stringMatching(/\n200$/)]);
      expect(answer).toContain(fault ?? "[]");
    }
  });

  it("deliver to a sink, and ask it", async () => {
    const secret = "a-secret-of-the-documents-0123456789";
    const asked = requests.filter(ofReceiver);
    expect(asked.length).toBeGreaterThan(1);
    const answers: Promise<string>[] = [];
    const run = await runCli(["sink", "--json"], {
      environment: { PLUMBLINE_SINK_SECRET: secret },
      onStdout: (text, child) => {
        if (answers.length > 0 || !text.endsWith("}\n")) return;
        const { publicUrl, queryUrl } = JSON.parse(text) as ReceiverAccess;
        const at = (line: string) =>
          line
            .replace("http://127.0.0.1:9401", publicUrl)
            .replace("http://127.0.0.1:9402", queryUrl);
        answers.push(...asked.map(({ line }) => send(at(line), { PLUMBLINE_SINK_SECRET: secret })));
        const stop = () => child.kill("SIGINT");
        Promise.all(answers).then(stop, stop);
      },
    });
    expect(run.exitCode).toBe(0);
    const statuses = (await Promise.all(answers)).map((answer) => answer.split("\n").at(-1));
    // The first step of the script in the delivery's address, and a query.
    expect(statuses).toEqual(["500", "200"]);
  });
});
