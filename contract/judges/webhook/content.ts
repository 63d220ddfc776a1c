/** What a delivery says, and who signed it. Spec §5.5, §6. */

import { isObject } from "../../decode/decoded.ts";
import type { Delivery } from "../../delivery.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import { parseTimestamp } from "../../timestamps.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { endedJob } from "./case.ts";
import { bodyOf, namedJob } from "./deliveries.ts";

interface Told {
  each: WebhookCase;
  delivery: Delivery;
}

function allTold(run: WebhookRun): readonly Told[] {
  return run.cases.flatMap((each) => each.deliveries.map((delivery) => ({ each, delivery })));
}

function quoteBodies(told: readonly Told[]): string[] {
  return told.slice(0, 3).map(({ delivery }) => delivery.body.slice(0, 400));
}

export function judgeBody(run: WebhookRun): Finding {
  const promise = "webhook.body";
  const told = allTold(run).filter(
    ({ each, delivery }) => isCompletedSuccess(each) && !delivery.truncated,
  );
  if (told.length === 0) return unobserved(promise, "no completed job was delivered");
  const wrong = told.map((one) => ({ one, problem: bodyProblem(bodyOf(one.delivery)) }));
  const faulty = wrong.filter(({ problem }) => problem !== null);
  const evidence = {
    deliveries: told.length,
    problems: [...new Set(faulty.map(({ problem }) => problem))],
    bodies: quoteBodies(faulty.map(({ one }) => one)),
  };
  if (faulty.length > 0) {
    return broken(promise, `${faulty.length} of ${told.length} bodies: ${faulty[0]?.problem}`, {
      evidence,
    });
  }
  return kept(promise, `${told.length} deliveries have the documented fields`, {
    evidence: { deliveries: told.length },
  });
}

/** Only of the part that completes by its role is an object known to come out. */
function isCompletedSuccess({ part, expected }: WebhookCase): boolean {
  return part === "success" && expected === "completed";
}

/** The first field that is not as documented; null when all are. */
function bodyProblem(body: unknown): string | null {
  if (!isObject(body)) return "the body is no JSON object";
  for (const name of ["event", "job_uuid", "status"]) {
    const value = body[name];
    if (typeof value !== "string" || value === "") return `${name} is no text`;
  }
  const firedAt = body.fired_at;
  if (typeof firedAt !== "string" || parseTimestamp(firedAt) === null) {
    return "fired_at is no ISO 8601 UTC time";
  }
  return isObject(body.result) ? null : "result is no object";
}

export function judgeTruthful(run: WebhookRun): Finding {
  const promise = "webhook.truthful";
  const told = allTold(run).filter(({ each, delivery }) => each.jobId !== null && bodyOf(delivery));
  if (told.length === 0) return unobserved(promise, "no delivery with a JSON body arrived");
  const unaskedIds = new Set(run.unasked.map(({ jobId }) => jobId));
  const own = told.filter(({ delivery }) => !unaskedIds.has(namedJob(delivery) ?? ""));
  const lies = own.map((one) => ({ one, lie: lieOf(one) })).filter(({ lie }) => lie !== null);
  const evidence = {
    deliveries: told.length,
    lies: [...new Set(lies.map(({ lie }) => lie))].slice(0, 5),
    bodies: quoteBodies(lies.map(({ one }) => one)),
  };
  if (lies.length > 0) {
    return broken(promise, `${lies.length} of ${own.length} deliveries: ${lies[0]?.lie}`, {
      evidence,
      exchanges: lies.flatMap(({ one }) => one.each.looks.slice(-1)),
    });
  }
  if (own.every(({ each }) => endOf(each) === null)) {
    return inconclusive(promise, "no delivered job could be looked at in its end", { evidence });
  }
  return kept(promise, `${own.length} deliveries agree with the job endpoint`, {
    evidence: { deliveries: own.length },
  });
}

/**
 * Where a delivery contradicts what was submitted or is read; fields it lacks are another
 * judge's.
 */
function lieOf({ each, delivery }: Told): string | null {
  const named = namedJob(delivery);
  if (named !== null && named !== each.jobId)
    return `is about ${named}, submitted as ${each.jobId}`;
  const body = bodyOf(delivery);
  const status = isObject(body) && typeof body.status === "string" ? body.status : null;
  const stated = status === null ? null : (parseStatus(status)?.state ?? null);
  const end = endOf(each);
  if (stated === null || end === null || stated === end || !isTerminal(stated)) return null;
  return `says ${status}, the job endpoint says ${end}`;
}

function endOf(each: WebhookCase): string | null {
  return endedJob(each)?.state ?? null;
}

export function judgeSigned(run: WebhookRun): Finding {
  const promise = "webhook.signed";
  const deliveries = allTold(run)
    .map(({ delivery }) => delivery)
    .filter((delivery) => !delivery.truncated);
  if (deliveries.length === 0) return unobserved(promise, "nothing was delivered");
  const absent = deliveries.filter(({ signature }) => signature === "absent").length;
  const invalid = deliveries.filter(({ signature }) => signature === "invalid").length;
  const evidence = { deliveries: deliveries.length, absent, invalid, scheme: run.signatureScheme };
  if (absent + invalid > 0) {
    const what =
      absent > 0 ? `${absent} have no signature` : `${invalid} have one that does not fit`;
    return broken(promise, `of ${deliveries.length} deliveries ${what}`, { evidence });
  }
  const checked = deliveries.every(({ signature }) => signature === "valid");
  const how = checked ? `valid by ${run.signatureScheme}` : "present (no scheme to check it by)";
  return kept(promise, `${deliveries.length} signatures ${how}`, { evidence });
}
