/**
 * Judges the catalogue of workers: list, filters, detail. Spec §2.2, §2.3, §4.1, §4.2.
 */

import type { Decoded, Problem } from "../decode/decoded.ts";
import { describe } from "../decode/decoded.ts";
import type { WorkerEntry } from "../decode/worker.ts";
import { decodeWorker, decodeWorkerList } from "../decode/worker.ts";
import type { Read } from "../judging/claim.ts";
import { countsOf } from "../judging/claim.ts";
import { judgeCounted } from "../judging/decide.ts";
import type { Exchange } from "../requests/exchange.ts";
import { jsonBody } from "../requests/exchange.ts";
import { workerInPath } from "../requests/routes.ts";
import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { readOk } from "./expected-status.ts";

/** `list` is the first page; `further` are later ones and filtered lists, where they answer 200. */
export function judgeListShape(list: StatusCase, further: readonly Exchange[] = []): Finding {
  const later = further.filter(({ status }) => status === 200);
  const lists = [list, ...later.map((page) => ({ ...list, attempts: [page] }))];
  const entries = [...list.attempts.slice(-1), ...later].flatMap((page) => listEntries(page) ?? []);
  return judgeCounted({
    promise: "workers.list-shape",
    ...countsOf(lists.map((each) => readShape(each, decodeWorkerList))),
    looks: entries.length,
    of: "entries",
    kept: `${entries.length} list entries match the interface`,
    without: "",
    quorum: { openShare: 0 },
    spread: [{ of: "lists", count: lists.length }],
  });
}

/** `listed`: the workers that the list names; a detail of one of them names it, too. */
export function judgeDetailShape(
  details: readonly StatusCase[],
  listed: ReadonlySet<string> = new Set(),
): Finding {
  const counts = countsOf(details.map((each) => readShape(each, detailReader(each, listed))));
  return judgeCounted({
    promise: "workers.detail-shape",
    ...counts,
    of: "workers",
    kept: `${counts.good} workers' details match the interface`,
    without: "no worker is known: none is configured and the list names none",
  });
}

function detailReader(
  { attempts }: StatusCase,
  listed: ReadonlySet<string>,
): (body: unknown) => Decoded<unknown> {
  const asked = workerInPath(attempts.at(-1)?.path ?? "");
  return (body) => {
    const decoded = decodeWorker(body);
    const id = decoded.value?.id ?? asked;
    if (id === asked || !listed.has(asked)) return decoded;
    const problem = { path: "worker_id", expected: describe(asked), got: describe(id) };
    return { ...decoded, problems: [...decoded.problems, problem] };
  };
}

/** What is wrong with an answer that is promised to be 200 and of a certain shape. */
function readShape(each: StatusCase, decode: (body: unknown) => Decoded<unknown>): Read {
  return readOk(each, (answer) => {
    const { problems } = decode(jsonBody(answer));
    return problems.length === 0 ? null : `${each.what} is not as documented: ${told(problems)}`;
  });
}

function told(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const more = problems.length > 1 ? ` and ${problems.length - 1} more` : "";
  return `${first.path} is ${first.got}; promised ${first.expected}${more}`;
}

/** The entries of a list answer; null when it was not answered as a list. */
export function listEntries(exchange: Exchange | undefined): readonly WorkerEntry[] | null {
  if (exchange === undefined || exchange.status !== 200) return null;
  return decodeWorkerList(jsonBody(exchange)).value;
}
