/** Nobody but the probe's own user reads the journal, whatever the umask was or is. */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../../runner/package-root.ts";
import { folder, intent, ONE_JOB, open } from "./open-journal.ts";

const JOURNAL = pathToFileURL(join(ROOT, "probe/journal/journal.ts")).href;

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function modesIn(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, mode(join(path, name))]));
}

/** Opens and fills a journal in a process of its own, as only that can set its umask. */
function filledUnder(umask: number, stateDir: string): Record<string, string> {
  const given = JSON.stringify({ stateDir, baseUrl: "http://a" });
  const script = `
    process.umask(${umask});
    const { openJournal } = await import(${JSON.stringify(JOURNAL)});
    const { readdirSync, statSync } = await import("node:fs");
    const said = () => {};
    const heard = { onFailure: said, onRecovered: said, onTightened: said };
    const clock = { nowMs: () => 0, soon: (flush) => (setImmediate(flush), said) };
    const journal = openJournal({ ...${given}, clock, redact: String, ...heard });
    await journal.intend(${JSON.stringify(intent("run-1"))}, ${JSON.stringify(ONE_JOB)});
    const mode = (path) => (statSync(path).mode & 0o777).toString(8);
    const dir = ${JSON.stringify(stateDir)};
    const files = readdirSync(dir).map((name) => [name, mode(dir + "/" + name)]);
    console.log(JSON.stringify(Object.fromEntries([["", mode(dir)], ...files])));
    journal.close();`;
  const args = ["--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

describe("the journal's modes", () => {
  it.each([0o000, 0o022, 0o077])("are its own under the umask %o", async (umask) => {
    const { path } = await folder();
    const modes = filledUnder(umask, join(path, "below", "state"));
    expect(modes).toEqual({
      "": "700",
      "probe.db": "600",
      "probe.db-wal": "600",
      "probe.db-spent": "600",
    });
  });

  it("are tightened where they were open, with a line for each", async () => {
    const { path } = await folder();
    const state = join(path, "state");
    open(state).journal.close();
    const aside = join(state, "probe.db.set-aside-2026-01-01T000000.000Z");
    for (const file of [aside, `${aside}-wal`, `${aside}-shm`]) writeFileSync(file, "x");
    for (const name of readdirSync(state)) chmodSync(join(state, name), 0o644);
    chmodSync(state, 0o755);
    const { tightened } = open(state);
    expect([mode(state), ...new Set(Object.values(modesIn(state)))]).toEqual(["700", "600"]);
    expect(tightened).toHaveLength(6);
    expect(tightened[0]).toBe(`${state} was open to other users (mode 0755); it is 0700 now`);
    expect(tightened.join()).toContain("set-aside-2026-01-01T000000.000Z-wal was open to other");
  });

  it("are those of what is set aside, too", async () => {
    const { path } = await folder();
    const state = join(path, "state");
    mkdirSync(state, 0o755);
    writeFileSync(join(state, "probe.db"), "not a database".repeat(100), { mode: 0o644 });
    expect(open(state).failures.join()).toContain("set aside");
    expect(new Set(Object.values(modesIn(state)))).toEqual(new Set(["600"]));
  });

  it("say nothing where they are right", async () => {
    const { path } = await folder();
    const state = join(path, "state");
    expect(open(state).tightened).toEqual([]);
  });

  it("pass over a link that leads nowhere", async () => {
    const { path } = await folder();
    const state = join(path, "state");
    open(state).journal.close();
    symlinkSync(join(path, "gone"), join(state, "probe.db.set-aside-link"));
    expect(open(state).tightened).toEqual([]);
  });

  it("leave what a link leads to as it is", async () => {
    const { path } = await folder();
    const [state, victim] = [join(path, "state"), join(path, "victim")];
    open(state).journal.close();
    writeFileSync(victim, "x");
    chmodSync(victim, 0o644);
    symlinkSync(victim, join(state, "probe.db-link"));
    expect(open(state).tightened).toEqual([]);
    expect(mode(victim)).toBe("644");
  });

  it("leave a folder of other things as it is, and say so", async () => {
    const { path } = await folder();
    writeFileSync(join(path, "other"), "x", { mode: 0o644 });
    chmodSync(path, 0o755);
    const expected = "expected a folder of the probe's own, mode 0700";
    const left = "and was left so, as it holds other things";
    expect(open(path).tightened).toEqual([
      `${path} is open to other users (mode 0755) ${left}; ${expected}`,
    ]);
    expect([mode(path), modesIn(path).other]).toEqual(["755", "644"]);
    expect(modesIn(path)["probe.db"]).toBe("600");
  });
});
