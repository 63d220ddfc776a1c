/** The embedded service in a process of its own, and the target file for a soak of it. */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { ReferenceKey } from "../../reference/accounts/keys.ts";
import { SOURCES } from "../cli/main-file.ts";

/** The key that carries the load: 200 requests a second, as the service prints. */
export const KEY_NAME = "big";

export interface Service {
  baseUrl: string;
  key: string;
  process: ChildProcess;
}

export async function startService(
  timeScale: string,
  variant: string,
  more: { args: readonly string[]; keyName: string } = { args: [], keyName: KEY_NAME },
): Promise<Service> {
  const told = await startAnnounced(timeScale, variant, more.args);
  const key = told.keys.find(({ name }) => name === more.keyName);
  if (key === undefined) throw new Error(`the service has no key "${more.keyName}"`);
  return { baseUrl: told.baseUrl, key: key.value, process: told.process };
}

/** What the service says of itself, as far as targets are made of it. */
export interface Announcement {
  baseUrl: string;
  timeScale: number;
  keys: readonly ReferenceKey[];
  webhook: { header: string; scheme: string; secret: string };
  workers: Readonly<Record<string, unknown>>;
}

export async function startAnnounced(
  timeScale: string,
  variant: string,
  more: readonly string[],
): Promise<Announcement & { process: ChildProcess }> {
  const plain = ["reference", "--json", "--time-scale", timeScale, "--variant", variant];
  const args = [SOURCES, ...plain, ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return { ...(await announcementOf(child)), process: child };
}

async function announcementOf({ stdout }: ChildProcess): Promise<Announcement> {
  if (stdout === null) throw new Error("the service has no standard output");
  let text = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.trimEnd().endsWith("}")) return JSON.parse(text) as Announcement;
  }
  throw new Error("the service ended before it told its address");
}

export async function stopService({ process: child }: Pick<Service, "process">): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

export interface Load {
  jobsPerSecond: number;
  minutes: number;
  timeScale: string;
}

/** Jobs a second, of two to three requests each, that the plan of the key carries. */
const WITHIN_PLAN = 60;

/** What the service has to leave out so that the key can carry the load. */
export function argsFor({ jobsPerSecond }: Pick<Load, "jobsPerSecond">): readonly string[] {
  return jobsPerSecond > WITHIN_PLAN ? ["--fault", "rate.limited/never"] : [];
}

export function targetFile({ baseUrl }: Service, load: Load): string {
  const { jobsPerSecond, minutes, timeScale } = load;
  const jobs = Math.ceil(jobsPerSecond * minutes * 60 * 1.05);
  const isWithin = jobsPerSecond <= WITHIN_PLAN;
  const allowed = isWithin ? "sustained: 200, burst: 400" : "sustained: 20000, burst: 40000";
  return `target: { baseUrl: "${baseUrl}", timeScale: ${timeScale} }
keys:
  - { name: big, plan: enterprise, ${allowed}, account: one, env: SOAK_KEY }
workers:
  success: { id: echo, input: { text: hello }, marker: text }
  slow:    { id: sleep, input: { seconds: 2 } }
  timeout: { id: sleep-short, input: { seconds: 60 } }
  failure: { id: fail, input: {} }
  list:    { id: rows, input: { count: 3 } }
  empty:   { id: nothing, input: {} }
  files:   { id: render, input: { title: Report, pages: 2 } }
cancel:  { method: DELETE, body: null }
webhook: { listen: "127.0.0.1:0" }
load:
  jobsPerSecond: ${jobsPerSecond}
  duration: ${Math.round(minutes * 60)}s
  mix: { success: 70, list: 9, empty: 9, files: 4, failure: 4, ${longJobs(jobsPerSecond)} }
  objectives:
    { throughput: "95%", submitP99: 500ms, queueWaitP99: 5s, errorShare: 0, driftShare: 0.5 }
budget:  { jobs: ${jobs} }
`;
}

/**
 * Slow jobs run for 2 s in four slots, jobs that time out for 20 s in fifty: the shares keep both
 * below their workers' capacity in real time.
 */
function longJobs(jobsPerSecond: number): string {
  const share = (most: number, perSecond: number) =>
    Math.min(most, (100 * perSecond) / jobsPerSecond);
  return `timeout: ${share(2, 1)}, slow: ${share(1, 0.5)}, cancel: ${share(1, 0.5)}`;
}
