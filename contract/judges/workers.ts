/**
 * Judges the catalogue of workers: list, filters, detail, unknown workers. Spec §2.2, §4.1, §4.2.
 */

import type { Problem } from "../decode/decoded.ts";
import type { WorkerEntry } from "../decode/worker.ts";
import { decodeWorker, decodeWorkerList } from "../decode/worker.ts";
import type { Exchange } from "../exchange.ts";
import { jsonBody } from "../exchange.ts";
import type { Seen } from "../judging/claim.ts";
import { countedClaim } from "../judging/claim.ts";
import { decide } from "../judging/decide.ts";
import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { answered, judgeStatus, statusOutcome } from "./expected-status.ts";

/** `list` is the first page; `further` are later ones and filtered lists, where they answer 200. */
export function judgeListShape(list: StatusCase, further: readonly Exchange[] = []): Finding {
  const first = read(list, decodeProblems);
  const later = further
    .filter(({ status }) => status === 200)
    .map((page) => read({ ...list, attempts: [page] }, decodeProblems));
  const lists = [first, ...later];
  const entries = [...list.attempts.slice(-1), ...further].flatMap(
    (page) => listEntries(page) ?? [],
  );
  return decide(
    countedClaim({
      promise: "workers.list-shape",
      faults: lists.flatMap(({ fault }) => fault ?? []),
      open: lists.flatMap(({ open }) => open ?? []),
      good: lists.filter(({ fault, open }) => fault === null && open === null).length,
      looks: entries.length,
      of: "entries",
      kept: `${entries.length} entries as documented`,
      without: "",
      quorum: { openShare: 0 },
      spread: [{ of: "lists", count: lists.length }],
    }),
  );
}

function decodeProblems(answer: Exchange): readonly Problem[] {
  return decodeWorkerList(jsonBody(answer)).problems;
}

export function judgeDetailShape(details: readonly StatusCase[]): Finding {
  const all = details.map((detail) => {
    return read(detail, (answer) => decodeWorker(jsonBody(answer)).problems);
  });
  const good = all.filter(({ fault, open }) => fault === null && open === null).length;
  return decide(
    countedClaim({
      promise: "workers.detail-shape",
      faults: all.flatMap(({ fault }) => fault ?? []),
      open: all.flatMap(({ open }) => open ?? []),
      good,
      of: "workers",
      kept: `${good} workers' details as documented`,
      without: "no worker is known: none is configured and the list names none",
    }),
  );
}

/** What is wrong with an answer that is promised to be 200 and of a certain shape. */
function read(
  each: StatusCase,
  problemsOf: (answer: Exchange) => readonly Problem[],
): { fault: Seen | null; open: Seen | null } {
  const seen = answered(each);
  const outcome = statusOutcome(each, (status) => status === 200, []);
  const last = each.attempts.at(-1);
  if (last === undefined || outcome === "no answer") return { fault: null, open: seen };
  if (outcome === "contradicts") {
    return { fault: { ...seen, what: `${seen.what}; promised 200` }, open: null };
  }
  const problems = problemsOf(last);
  const fault = { ...seen, what: `${each.what} is not as documented: ${told(problems)}` };
  return { fault: problems.length > 0 ? fault : null, open: null };
}

function told(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const more = problems.length > 1 ? ` and ${problems.length - 1} more` : "";
  return `${first.path} is ${first.got}; promised ${first.expected}${more}`;
}

export function judgeUnknownWorker(cases: readonly StatusCase[]): Finding {
  return judgeStatus(
    {
      promise: "workers.unknown",
      expected: 404,
      doubtful: [401, 402],
      withoutCases: "no unknown worker was asked for",
    },
    cases,
  );
}

/** The entries of a list answer; null when it was not answered as a list. */
export function listEntries(exchange: Exchange | undefined): readonly WorkerEntry[] | null {
  if (exchange === undefined || exchange.status !== 200) return null;
  return decodeWorkerList(jsonBody(exchange)).value;
}
