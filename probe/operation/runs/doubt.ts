/** A request that failed while this machine stood still says nothing of the service. */

import type { Exchange } from "../../../contract/requests/exchange.ts";
import { spell } from "../../spell.ts";
import type { MachineLag } from "../machine-lag.ts";
import { stoodStill } from "../machine-lag.ts";
import type { Parts, Run } from "./run.ts";
import type { RunVerdict } from "./settle.ts";

/** Why a failure may be this machine's own; null for an answer, and where the machine had time. */
export async function ownFault(
  { lag }: { lag: Pick<MachineLag, "since"> },
  failed: Exchange | null | undefined,
): Promise<string | null> {
  if (failed == null || failed.error === null) return null;
  const lagMs = await lag.since(failed.sentAtMs);
  return stoodStill(lagMs) ? `this machine stood still for ${spell(lagMs)}` : null;
}

/** The verdict, or that there is none. */
export async function doubted(
  parts: Pick<Parts, "lag">,
  { polls, submission }: Pick<Run, "polls" | "submission">,
  verdict: RunVerdict,
): Promise<RunVerdict> {
  if (verdict.outcome !== "http_error") return verdict;
  const own = await ownFault(parts, polls.at(-1) ?? submission);
  if (own === null) return verdict;
  return { ...verdict, outcome: "probe_error", why: `${verdict.why}; ${own}` };
}
