/** Runs cases side by side against one Prometheus, and again those that a busy machine spoilt. */

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AlertWatch } from "./alert-watch.ts";
import type { CaseResult } from "./case-result.ts";
import { faultsOf, resultOf, toldOf } from "./case-result.ts";
import type { FaultCase, OpenFault } from "./fault-case.ts";
import { CANARY_MS, passing, SLACK_MS } from "./pace.ts";
import type { LivePrometheus, ScrapeTarget } from "./prometheus.ts";
import { watchStalls } from "./stalls.ts";

/** Ours: every canary has run a few times, and was scraped. */
const WARM_UP_MS = 4 * CANARY_MS;
/** Ours: after all is raised, what else comes is waited for: an evaluation, and one more. */
const AFTERMATH_MS = 3_000;
/** Ours: what a busy machine spoilt is asked once more; what it says then counts. */
const ROUNDS = 2;

/** Names of the worlds of a case: a new one for each round, as alerts look back. */
export function environmentsOf(cases: readonly FaultCase[]): string[] {
  const rounds = Array.from({ length: ROUNDS }, (_, at) => at + 1);
  return rounds.flatMap((round) => cases.map(({ id }) => inRound(id, round)));
}

const inRound = (id: string, round: number) => (round === 1 ? id : `${id}-${round}`);

export interface Stage {
  prometheus: LivePrometheus;
  folder: string;
  tell(line: string): void;
}

/** Results in the order of the cases. `meanwhile` is called once, when all worlds are at work. */
export async function runCases(
  cases: readonly FaultCase[],
  stage: Stage,
  meanwhile: () => Promise<void> = async () => {},
): Promise<readonly CaseResult[]> {
  const results = new Map<string, CaseResult>();
  const watch = new AlertWatch(stage.prometheus);
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const open = cases.filter(({ id }) => isOpen(results.get(id)));
      if (open.length === 0) break;
      const again = round === 1 ? "" : `, once more: ${open.map(({ id }) => id).join(", ")}`;
      stage.tell(`round ${round}: ${open.length} cases${again}`);
      const done = await runRound(open, round, { ...stage, watch }, round === 1 ? meanwhile : null);
      for (const each of done) results.set(each.case.id, each);
    }
  } finally {
    await watch.close();
  }
  return cases.flatMap(({ id }) => results.get(id) ?? []);
}

/** Only a machine that stood still is a reason to ask again. */
function isOpen(result: CaseResult | undefined): boolean {
  return result === undefined || (result.isDisturbed && faultsOf(result).length > 0);
}

type Watched = Stage & { watch: AlertWatch };

async function runRound(
  cases: readonly FaultCase[],
  round: number,
  stage: Watched,
  meanwhile: (() => Promise<void>) | null,
): Promise<readonly CaseResult[]> {
  const targets = new Map<string, ScrapeTarget>();
  const scrape = () => stage.prometheus.scrape([...targets.values()]);
  const worlds: { each: FaultCase; open: OpenFault; environment: string }[] = [];
  try {
    for (const each of cases) {
      const environment = inRound(each.id, round);
      const folder = path.join(stage.folder, environment);
      await mkdir(folder);
      const show = (address: string | null) => {
        if (address === null) targets.delete(environment);
        else targets.set(environment, { environment, address });
        return scrape();
      };
      const open = await each.open(folder, show);
      worlds.push({ each, open, environment });
      await show(open.address);
    }
    await pause(WARM_UP_MS);
    const also = meanwhile?.();
    const results = await Promise.all(
      worlds.map(({ each, open, environment }) => runCase(each, open, environment, stage)),
    );
    await also;
    return results;
  } finally {
    targets.clear();
    await scrape();
    for (const { open } of worlds) await open.close().catch(() => {});
  }
}

async function runCase(
  each: FaultCase,
  open: OpenFault,
  environment: string,
  { watch, tell }: Watched,
): Promise<CaseResult> {
  const firings = () => watch.firings(environment);
  const before = watch.firing(environment);
  const stalls = watchStalls();
  try {
    await open.begin();
    const beganMs = Date.now();
    await watch.until(() => areRaised(each, firings()), longestMs(each) + SLACK_MS);
    const lastedMs = Date.now() - beganMs;
    await pause(Math.max(AFTERMATH_MS, passing(each.lastsSeconds ?? 0) - lastedMs));
    await open.end();
    const endedMs = Date.now();
    const clearMs = passing(each.clearsSeconds) + SLACK_MS;
    await watch.until(() => areClear(each, watch.firing(environment)), clearMs);
    const times = { beganMs, endedMs };
    const disturbance = { stalledMs: stalls.longestMs(), isShared: open.isShared, before };
    const result = resultOf(each, firings(), times, disturbance);
    tell(`${environment}: ${toldOf(result)}`);
    return result;
  } catch (error) {
    const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell(`${environment}: ${trouble}`);
    return { case: each, raised: [], also: [], wrong: [], trouble, isDisturbed: false };
  } finally {
    stalls.close();
  }
}

type Firings = ReturnType<AlertWatch["firings"]>;

function areRaised({ raises }: FaultCase, firings: Firings): boolean {
  return raises.every(({ alert }) => firings.some((firing) => firing.alert === alert));
}

function areClear({ raises }: FaultCase, firing: readonly string[]): boolean {
  return raises.every(({ alert }) => !firing.includes(alert));
}

function longestMs({ raises }: FaultCase): number {
  return passing(Math.max(0, ...raises.map(({ withinSeconds }) => withinSeconds)));
}
