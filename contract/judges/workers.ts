/**
 * Judges the catalogue of workers: list, filters, detail, unknown workers. Spec §2.2, §4.1, §4.2.
 */

import type { Problem } from "../decode/decoded.ts";
import type { WorkerEntry } from "../decode/worker.ts";
import { decodeWorker, decodeWorkerList } from "../decode/worker.ts";
import type { Exchange } from "../exchange.ts";
import { jsonBody } from "../exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { judgeStatus, statusOutcome } from "./expected-status.ts";

/** `list` is the first page; `further` are later ones and filtered lists, where they answer 200. */
export function judgeListShape(list: StatusCase, further: readonly Exchange[] = []): Finding {
  const promise = "workers.list-shape";
  const { last, outcome } = read(list);
  if (outcome === "no answer" || last === undefined) {
    return inconclusive(promise, "the worker list gave no answer", { exchanges: list.attempts });
  }
  if (outcome === "contradicts") {
    return broken(promise, `the worker list got ${last.status}; promised 200`, {
      exchanges: [last],
    });
  }
  const lists = [last, ...further.filter(({ status }) => status === 200)].map((page) => ({
    page,
    ...decodeWorkerList(jsonBody(page)),
  }));
  const wrong = lists.filter(({ problems }) => problems.length > 0);
  const problems = wrong.flatMap((each) => each.problems);
  if (wrong.length > 0) {
    return broken(promise, `the worker list is not as documented: ${told(problems)}`, {
      evidence: { problems: problems.length, lists: lists.length },
      exchanges: wrong.map(({ page }) => page),
    });
  }
  const count = lists.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
  return kept(promise, `${count} entries as documented`, {
    evidence: { entries: count, samples: lists.length },
    strength: looksAt(count, "entries", { of: "lists", count: lists.length }),
  });
}

export function judgeDetailShape(details: readonly StatusCase[]): Finding {
  const promise = "workers.detail-shape";
  if (details.length === 0) {
    return unobserved(promise, "no worker is known: none is configured and the list names none");
  }
  const sorted = details.map((detail) => {
    const { last, outcome } = read(detail);
    const problems =
      last !== undefined && outcome === "as promised" ? decodeWorker(jsonBody(last)).problems : [];
    return { what: detail.what, last, outcome, problems };
  });
  const wrong = sorted.filter((each) => each.outcome === "contradicts" || each.problems.length > 0);
  const first = wrong[0];
  if (first !== undefined) {
    const how = first.problems.length > 0 ? told(first.problems) : `status ${first.last?.status}`;
    return broken(promise, `${first.what}: ${how}`, {
      evidence: { details: details.length, wrong: wrong.length },
      exchanges: wrong.flatMap(({ last }) => last ?? []),
    });
  }
  const good = sorted.filter(({ outcome }) => outcome === "as promised").length;
  if (good === 0) return inconclusive(promise, "no worker's detail was answered");
  return kept(promise, `${good} workers' details as documented`, {
    evidence: { samples: good },
    strength: looksAt(good, "workers"),
  });
}

function read(each: StatusCase) {
  const outcome = statusOutcome(each, (status) => status === 200, []);
  return { last: each.attempts.at(-1), outcome };
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
