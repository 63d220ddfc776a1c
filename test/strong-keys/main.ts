/**
 * A gate on the rate limits of a strong key and of two weak ones beside it: real k6, against the
 * embedded service in a process of its own. Prints every verdict. Exit code 1 if a promise is
 * broken, or in doubt because of a weak key.
 *
 * npm run strong-keys -- [--rate PER_SECOND] [--burst REQUESTS] [--profile NAME] [--report DIR]
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { reportSchema } from "../../report/model.ts";
import { SOURCES } from "../cli/main-file.ts";
import { temporaryFolder } from "../cli/temporary-folder.ts";
import type { Announcement } from "../soak/service.ts";
import { startAnnounced, stopService } from "../soak/service.ts";

const STRONG = "big";
const WEAK = ["free-a", "pro-a"] as const;
const variableOf = (key: string) => `STRONG_${key.toUpperCase().replaceAll("-", "_")}`;

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "5000" },
    burst: { type: "string", default: "10000" },
    profile: { type: "string", default: "standard" },
    report: { type: "string", default: path.join(tmpdir(), `strong-keys-${process.pid}`) },
  },
});

function usedKeys({ keys }: Announcement): Announcement["keys"] {
  return keys.filter(({ name }) => [STRONG, ...WEAK].includes(name));
}

/** JSON, which is YAML as well. */
function targetFor(service: Announcement): string {
  const keys = usedKeys(service).map(({ name, plan, account, sustained, burst }) => {
    const limits = plan === "enterprise" ? { sustained, burst } : {};
    return { name, plan, account, ...limits, env: variableOf(name) };
  });
  const target = { baseUrl: service.baseUrl, timeScale: 1 };
  return JSON.stringify({ target, keys, workers: service.workers, budget: { jobs: 1_000 } });
}

async function judge(service: Announcement, folder: string): Promise<void> {
  const file = path.join(folder, "plumbline.yaml");
  await writeFile(file, targetFor(service));
  const asked = ["--target", file, "--only", "rate", "--profile", values.profile];
  const child = spawn(process.execPath, [SOURCES, "gate", ...asked, "--report", values.report], {
    stdio: "inherit",
    env: {
      ...process.env,
      ...Object.fromEntries(usedKeys(service).map(({ name, value }) => [variableOf(name), value])),
    },
  });
  await once(child, "exit");
}

/** Promises that are broken, or that a weak key left in doubt. */
async function problems(): Promise<string[]> {
  const text = await readFile(path.join(values.report, "report.json"), "utf8");
  const { only, promises } = reportSchema.parse(JSON.parse(text));
  return promises
    .filter(({ id }) => only?.includes(id))
    .filter(({ verdict, summary }) => {
      if (verdict !== "inconclusive") return verdict === "broken";
      return WEAK.some((name) => summary.includes(name));
    })
    .map(({ id, verdict, summary }) => `${verdict} ${id}: ${summary}`);
}

const limit = `${STRONG}=${values.rate}/${values.burst}`;
const service = await startAnnounced("1", "b", ["--limit", limit]);
await using folder = await temporaryFolder();
try {
  await judge(service, folder.path);
  const found = await problems();
  process.stdout.write(`${JSON.stringify({ limit, problems: found }, null, 2)}\n`);
  if (found.length > 0) process.exitCode = 1;
} finally {
  await stopService(service);
}
