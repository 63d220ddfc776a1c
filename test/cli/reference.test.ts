/** The embedded service as a command: it says where it is and what it is, until it is stopped. */

import { describe, expect, it } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { runCli } from "./run-cli.ts";

interface Announced {
  baseUrl: string;
  keys: { name: string; value: string; state: string }[];
}

describe("reference", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    covers("serves until %s and ends with 0", "32 reference"),
    async (signal) => {
      const answers: Promise<number>[] = [];
      const run = await runCli(["reference", "--json", "--variant", "a"], {
        onStdout: (text, child) => {
          if (answers.length > 0 || !text.endsWith("}\n")) return;
          answers.push(accountStatus(JSON.parse(text) as Announced));
          void answers[0]?.finally(() => child.kill(signal));
        },
      });
      expect(await Promise.all(answers)).toEqual([200]);
      expect(run.exitCode, run.stderr).toBe(0);
    },
  );

  it("says its address, its keys and what it simulates", async () => {
    const args = ["--time-scale", "0.5", "--choice", "limiter=gcra", "--seed", "3"];
    const run = await runCli(["reference", ...args], {
      onStdout: (text, child) => text.includes("stop: Ctrl-C") && child.kill("SIGINT"),
    });
    expect(run.stdout).toMatch(/reference service at http:\/\/127\.0\.0\.1:\d+ \(variant B, time/);
    expect(run.stdout).toMatch(/keys \(header x-api-key; simulated, no secrets\)/);
    expect(run.stdout).toMatch(/sleep-short +20 s at most, 0\.010 USD a run +Like the long one/);
    expect(run.stdout).toMatch(/within 5 s; else sent again after 2\.5 s, 15 s, 2 min 30 s/);
    expect(run.stdout).toMatch(/hex of HMAC-SHA256, secret \S+/);
    expect(run.stdout).toMatch(/free-a +\S+ +free \(10\/s, burst 20\)/);
    expect(run.stdout).toMatch(/choices: limiter=gcra/);
  });
});

async function accountStatus({ baseUrl, keys }: Announced): Promise<number> {
  const key = keys.find(({ state }) => state === "active")?.value ?? "";
  const answer = await fetch(`${baseUrl}/v1/me`, { headers: { "x-api-key": key } });
  await answer.text();
  return answer.status;
}
