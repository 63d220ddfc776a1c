/**
 * A second job service, written from the specification alone: what the suite says of the reference
 * service, it has to say of a service that shares no line with it.
 */

import type { Outcome, RawRequest } from "../../../reference/http.ts";
import type { StrangerKey } from "./accounts.ts";
import { STRANGER_KEYS } from "./accounts.ts";
import type { Plain } from "./answers.ts";
import { ok, problem } from "./answers.ts";
import { STRANGER_WORKERS, TWIN } from "./catalogue.ts";
import { picksOf } from "./choices.ts";
import { Courier } from "./courier.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Gateway } from "./gateway.ts";
import { Intake } from "./intake.ts";
import type { Job, Phase } from "./journal.ts";
import { isTerminal, stateAt } from "./journal.ts";
import { Ledger } from "./ledger.ts";
import { Marketplace } from "./marketplace.ts";
import type { House, StrangerOptions, StrangerPorts } from "./ports.ts";
import { priceMicros } from "./prices.ts";
import type { Match } from "./routes.ts";
import { isObject } from "./schema.ts";
import { JobStore } from "./store.ts";
import { Trouble } from "./trouble.ts";
import { jobBody } from "./views.ts";

const LATER_MS = 300;
/** Where files are, if their addresses lead to others. */
const BUCKET = "/storage/bucket/";
/** How long a file's address lives, where that is short. */
const ADDRESS_MS = 15_000;
/** From a job's end on, with a fault that stores files late. */
const STORED_LATE_MS = 8_000;

export interface Stranger {
  handle(request: RawRequest): Outcome;
}

/** Throws on a choice or a fault that nobody knows. */
export function createStranger(ports: StrangerPorts, options: StrangerOptions): Stranger {
  const { variant, choices, faults } = options;
  const house: House = {
    ports,
    variant,
    picks: picksOf(choices),
    trouble: new Trouble(faults, ports.random),
    now: () => Math.floor(ports.clock.nowMs()),
  };
  return new Gateway(house, STRANGER_KEYS, backendOf(house));
}

function backendOf(house: House) {
  const all = house.picks.twins === "unlisted" ? [...STRANGER_WORKERS, TWIN] : STRANGER_WORKERS;
  const workers = new Map(all.map((worker) => [worker.id, worker]));
  const ledger = new Ledger(house, STRANGER_KEYS);
  const store = new JobStore(house);
  const courier = new Courier(house, (job) => {
    const worker = workers.get(job.worker);
    if (worker === undefined || !house.trouble.has("charged-at-each-webhook-retry")) return;
    ledger.charge(job.account, job.id, priceMicros(worker, house));
  });
  const dispatcher = new Dispatcher({ house, ledger, courier, workers });
  const intake = new Intake({ house, ledger, store, dispatcher, workers });
  const market = new Marketplace(house, ledger, workers);
  const answers: Record<
    Match["route"],
    (id: string, request: RawRequest, key: StrangerKey) => Plain
  > = {
    me: (_id, _request, key) => market.me(key),
    credits: (_id, _request, key) => market.credits(key),
    deployments: () => market.deployments(),
    workers: (_id, { query }) => market.list(new URLSearchParams(query)),
    worker: (id) => market.detail(id),
    publish: (id, _request, key) => market.publish(id, key),
    submit: (id, { body }, key) => intake.submit(id, body, key),
    jobs: (_id, _request, key) => listAnswer(house, store, key),
    job: (id, _request, key) => jobAnswer({ house, store, dispatcher }, id, key),
    "change-job": (id, request, key) => changeJob({ house, store, dispatcher }, id, request, key),
  };
  return {
    answer: (match: Match, request: RawRequest, key: StrangerKey) => {
      market.count(key);
      return answers[match.route](match.parameter, request, key);
    },
    file: (path: string) => fileAnswer(house, store, path),
    refusedSubmission: ({ route, parameter }: Match, { body }: RawRequest, key: StrangerKey) => {
      if (route === "submit") intake.runAnyway(parameter, body, key);
    },
    isThere: ({ route, parameter }: Match, key: StrangerKey) => {
      if (route === "job" || route === "change-job") return store.find(parameter, key) !== null;
      const isOfWorker = route === "worker" || route === "publish" || route === "submit";
      return !isOfWorker || workers.has(parameter);
    },
    jobCount: () => store.count(),
  };
}

function listAnswer(house: House, store: JobStore, key: StrangerKey): Plain {
  const { trouble } = house;
  const isBroken = trouble.has("job-list-500-while-jobs-run") && store.isRunning(key);
  const count = store.countOf(key);
  const isCancelled =
    (trouble.has("job-list-500-for-a-hundred") && count > 100) ||
    (trouble.has("job-list-500-for-many") && count > 150);
  return isBroken || isCancelled || trouble.has("job-list-500")
    ? problem(500, "unexpected", house)
    : ok(store.list(key));
}

interface Desk {
  house: House;
  store: JobStore;
  dispatcher: Dispatcher;
}

function jobAnswer({ house, store, dispatcher }: Desk, id: string, key: StrangerKey): Plain {
  const job = house.trouble.strikes("single-polls-miss-the-job") ? null : store.find(id, key);
  if (job === null) {
    const isCut = house.trouble.has("nul-in-an-identifier-500") && id.includes("\u0000");
    const isTooLarge = house.trouble.has("numbers-beyond-64-bits-500") && /^\d{20}$/.test(id);
    if (isCut || isTooLarge) return problem(500, "unexpected", house);
    if (house.trouble.has("unknown-job-as-empty")) return ok({});
    return problem(404, "no such job", house);
  }
  const view = store.viewOf(job);
  const refusal = refusalOf(house, view.phase);
  if (refusal !== null) return problem(refusal, "not now", house);
  if (view.phase === "timedOut") dispatcher.polled(job);
  const isOpen = house.trouble.has("open-jobs-answered-202") && !isTerminal(view.phase);
  return ok(withExtras(jobBody(job, view, house), house), isOpen ? 202 : 200);
}

/** Null where the job is shown. */
function refusalOf({ trouble }: House, phase: Phase): number | null {
  if (trouble.strikes("polls-forbidden-at-times")) return 403;
  if (phase !== "running") return null;
  if (trouble.has("running-jobs-locked")) return 409;
  return trouble.has("running-jobs-500") ? 500 : null;
}

function withExtras(body: Record<string, unknown>, { picks }: House): Record<string, unknown> {
  switch (picks.extras) {
    case "none":
      return body;
    case "links":
      return { ...body, links: { self: "/v1/jobs" }, priority: "normal" };
    case "progress":
      return { ...body, progress: 0.5, queue_position: null };
    case "nested":
      return { _meta: { region: "eu-1", attempt: 1, tags: [] }, ...body };
  }
}

function changeJob(desk: Desk, id: string, request: RawRequest, key: StrangerKey): Plain {
  const { house, store, dispatcher } = desk;
  const { picks, ports } = house;
  const job = store.find(id, key);
  if (job === null) return problem(404, "no such job", house);
  if (!isCancel(request, house)) return problem(405, "not this way", house);
  const { phase } = stateAt(job, house.now());
  if (picks.cancelAnswer === "202-later" && phase === "queued") {
    ports.clock.after(LATER_MS, () => dispatcher.cancel(job));
    return ok({ accepted: true }, 202);
  }
  const isDone = dispatcher.cancel(job);
  if (!isDone && picks.cancelRefusal !== "200-unchanged") {
    const why = isTerminal(phase) ? "the job is over" : "the job is running";
    return problem(Number(picks.cancelRefusal), why, house);
  }
  return isDone && picks.cancelAnswer === "204"
    ? { status: 204, headers: {}, body: null, text: "" }
    : ok(shownNow(job, house));
}

function shownNow(job: Job, house: House): Record<string, unknown> {
  return jobBody(job, stateAt(job, house.now()), house);
}

function isCancel({ method, body }: RawRequest, { picks }: House): boolean {
  if (method !== picks.cancelMethod) return false;
  if (method === "DELETE") return true;
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value)) return false;
    return method === "POST" ? value.action === "cancel" : value.status === "cancelled";
  } catch {
    return false;
  }
}

function fileAnswer(house: House, store: JobStore, path: string): Plain | null {
  const { trouble, picks } = house;
  const file = store.file(
    decodeURIComponent(path.replace(BUCKET, "/storage/").slice("/storage/".length)),
  );
  if (file === null) return null;
  const isLate = trouble.strikesJob("file-stored-late", file.job) && file.ageMs < STORED_LATE_MS;
  if (isLate || trouble.strikes("file-missed-by-one-storage"))
    return problem(404, "no-such-key", house);
  // What is signed anew for each answer is as old as that answer, and was asked for at once.
  const isSignedOnce = picks.filesUrl === "stable";
  const isOver = picks.fileAddresses === "short" && isSignedOnce && file.ageMs > ADDRESS_MS;
  const isUnsigned = trouble.strikesJob("file-signed-with-old-key", file.job);
  if (isOver || isUnsigned || trouble.has("file-address-expired"))
    return problem(403, "expired", house);
  if (picks.fileVia === "redirect" && !path.startsWith(BUCKET)) {
    const headers = { Location: path.replace("/storage/", BUCKET) };
    return { status: 302, headers, body: null, text: "" };
  }
  const isShort =
    trouble.strikesJob("file-half-stored", file.job) ||
    trouble.strikesJob("file-stream-breaks-off", file.job) ||
    trouble.has("file-sent-short");
  const text = isShort ? file.text.slice(0, -1) : file.text;
  const length = { "Content-Length": `${Buffer.byteLength(text)}` };
  const isTold = picks.fileLength === "told";
  const headers = { "Content-Type": file.contentType, ...(isTold ? length : {}) };
  return { status: 200, headers, body: null, text };
}
