/** Cheap looks at the account and the catalogue, beside the jobs; they cost nothing. */

import { findAmounts } from "../../contract/balance.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { isDisturbed, isSuccess, jsonBody } from "../../contract/exchange.ts";
import { sleepUntil } from "../clock.ts";
import { violationsOfChecks } from "../judging.ts";
import type { Parts } from "./run.ts";

const ROUTES_CHECKED = ["me", "credits", "workers"] as const;
/** Ours: as often as the canary of the main path. */
const EVERY_MS = 60_000;
/** Ours: a check that can't be sent within this time is left out. */
const WAIT_MS_MAX = 30_000;

/** Checks until the probe stops. */
export async function runApiChecks(parts: Parts): Promise<void> {
  const { clock, signal } = parts;
  let dueMs = clock.nowMs();
  while (!signal.aborted) {
    await checkOnce(parts);
    while (dueMs <= clock.nowMs()) dueMs += EVERY_MS;
    await sleepUntil(clock, dueMs, signal);
  }
}

async function checkOnce({ client, clock, signal, emit }: Parts): Promise<void> {
  const checks: Exchange[] = [];
  for (const route of ROUTES_CHECKED) {
    const check = await client.send({ route }, clock.nowMs() + WAIT_MS_MAX, signal);
    if (check !== null) checks.push(check);
  }
  const judged = checks.filter((check) => !isDisturbed(check) && check.status !== 401);
  for (const { promise, summary } of violationsOfChecks(judged)) {
    emit({ type: "violation", run: null, promise, summary, atMs: clock.nowMs() });
  }
  const credits = checks.find((check) => check.route === "credits" && isSuccess(check));
  const left = credits === undefined ? null : balanceOf(credits);
  if (left !== null) emit({ type: "credits", left });
}

/** The one number that speaks of a balance; several would be a guess. Spec §2.10 shows none. */
function balanceOf(credits: Exchange): number | null {
  const amounts = Object.values(findAmounts(jsonBody(credits), "credits"));
  return amounts.length === 1 ? (amounts[0] ?? null) : null;
}
