/**
 * The service without its HTTP: keys, faults, accounts, jobs and webhooks. Time, chance and what
 * is outside come from its caller, so that the same calls with the same chance answer the same.
 */

import { Access } from "./access.ts";
import { createAccounts } from "./accounts/account.ts";
import { createKeys, type ReferenceKey } from "./accounts/keys.ts";
import { BodyReader } from "./catalogue/validation.ts";
import type { Worker } from "./catalogue/worker.ts";
import { WORKERS } from "./catalogue/workers.ts";
import type { Choices } from "./choices.ts";
import { type ClosableClock, wholeMs } from "./clock.ts";
import { factsOf, queryOf } from "./facts.ts";
import type { Fault } from "./faults/fault.ts";
import type { Hooks } from "./hooks.ts";
import type { Answer, Outcome, RawRequest } from "./http.ts";
import { JobEngine } from "./jobs/engine.ts";
import { JobRenderer } from "./jobs/render.ts";
import { JobStore } from "./jobs/store.ts";
import { CONTENT_TYPES, type JsonWriter, jsonWriter } from "./json-writer.ts";
import { cachingHooks, lawfulHooks } from "./lawful-hooks.ts";
import type { ReferenceOptions } from "./options.ts";
import { respond } from "./pipeline.ts";
import type { Random } from "./random.ts";
import { Router } from "./router.ts";
import type { Api } from "./routes/api.ts";
import { endpoints } from "./routes/endpoints.ts";
import { FileStorage } from "./routes/storage.ts";
import { type FaultSwitches, Switchboard } from "./switchboard.ts";
import { webhookBody } from "./webhooks/body.ts";
import { type PostWebhook, WebhookSender } from "./webhooks/sender.ts";

interface CoreParts {
  options: ReferenceOptions;
  /** Faults that can be switched on. */
  faults: readonly Fault[];
  /** Closed with it. */
  clock: ClosableClock;
  random: Random;
  post: PostWebhook;
  /** Where the addresses of files begin. */
  baseUrl: () => string;
  /** Left out: those that follow from the seed. */
  keys?: readonly ReferenceKey[];
  /** Left out: the embedded catalogue. */
  workers?: readonly Worker[];
}

export interface ReferenceCore {
  keys: ReferenceKey[];
  faults: FaultSwitches;
  handle(request: RawRequest): Outcome;
  /** Stops all jobs and webhooks where they are. */
  close(): void;
}

/** Shared by all: compiling the workers' schemas takes longer than hundreds of requests. */
const BODIES = new BodyReader();

export function createCore(parts: CoreParts): ReferenceCore {
  const { options, random, clock } = parts;
  const keys = [...(parts.keys ?? createKeys(options.seed, options.limits))];
  const scene = { variant: options.variant, timeScale: options.timeScale, keys, clock, random };
  const lawful = {
    before: lawfulHooks(options, clock, random),
    after: cachingHooks(options, clock),
  };
  const board = new Switchboard(parts.faults, scene, lawful, () => access.reset());
  const hooks = () => board.hooks;
  const access = new Access({ keys, options, clock, hooks });
  for (const name of options.faults) board.enable(name);
  const spell = jsonWriter(options.choices, random);
  const { api, storage, sender } = assemble({ ...parts, keys }, hooks, spell);
  const router = new Router(endpoints(options.choices));
  const spelled = (answer: Answer) => typed(answer, options.choices, spell);
  return {
    keys,
    faults: {
      enable: (name) => board.enable(name),
      disable: (name) => board.disable(name),
      active: () => board.active(),
    },
    handle(request) {
      const found = router.find(request.method, request.path);
      if (found?.target === "storage") {
        const answer = storage.download(found.parameter, queryOf(request.query));
        return { answer: spelled(answer), delayMs: 0 };
      }
      const facts = factsOf(request, found?.target.route ?? null, found?.parameter ?? "");
      const outcome = respond(api, access, facts, found?.target.endpoint ?? null);
      return { answer: spelled(outcome.answer), delayMs: outcome.delayMs };
    },
    close() {
      clock.close();
      sender.close();
    },
  };
}

function assemble(
  parts: CoreParts & Required<Pick<CoreParts, "keys">>,
  hooks: () => Hooks,
  spell: JsonWriter,
) {
  const { options, clock, random, post, baseUrl, keys, workers = WORKERS } = parts;
  const store = new JobStore(options.jobsKeptMax);
  const storage = new FileStorage(options.signingSecret, store, clock);
  const renderer = new JobRenderer(options, baseUrl, clock);
  const body = (job: Parameters<typeof webhookBody>[0]) =>
    webhookBody(job, wholeMs(clock), renderer, options.choices);
  const sender = new WebhookSender({ options, clock, random, hooks, body, post, spell });
  const engine = new JobEngine({
    options,
    store,
    clock,
    random,
    hooks,
    fileAddress: (id) => storage.address(id),
    announce: (job) => sender.announce(job),
  });
  const accounts = createAccounts(keys, wholeMs(clock));
  const shared = { options, clock, accounts, workers, published: new Set<string>() };
  const api: Api = { ...shared, bodies: BODIES, store, engine, renderer, hooks };
  return { api, storage, sender };
}

/** A body is JSON, unless the answer says otherwise. */
function typed(answer: Answer, { contentType }: Choices, spell: JsonWriter): Answer {
  const { text, body } = answer;
  if (text === undefined && body === undefined) return answer;
  const headers = { "content-type": CONTENT_TYPES[contentType], ...answer.headers };
  return { ...answer, headers, text: text ?? spell(body) };
}
