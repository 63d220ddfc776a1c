/** A service in the simulation: its own machine and clock, reached over the network. */

import type { Target } from "../contract/target.ts";
import type { Secrets } from "../contract/text/secret.ts";
import type { Clock } from "../contract/time/clock.ts";
import type { ReferenceKey } from "../reference/accounts/keys.ts";
import type { Worker } from "../reference/catalogue/worker.ts";
import { closable } from "../reference/clock.ts";
import type { ReferenceCore } from "../reference/core.ts";
import { createCore } from "../reference/core.ts";
import { embeddedTarget } from "../reference/embedded-target.ts";
import type { Fault } from "../reference/faults/fault.ts";
import { FAULTS } from "../reference/faults/index.ts";
import { textOf } from "../reference/http.ts";
import type { GivenOptions, ReferenceOptions } from "../reference/options.ts";
import { fillOptions } from "../reference/options.ts";
import type { PostWebhook } from "../reference/webhooks/sender.ts";
import type { Draw } from "./chance.ts";
import type { Serve, ServedAnswer } from "./http.ts";
import type { Machine } from "./machine.ts";
import { Program } from "./machine.ts";

/** Any will do, but those of the receiver. */
const PORT = 8080;

/** Processor time of the service for one request, in ms. Ours: that of the reference service. */
const REQUEST_COST_MS = 0.15;
/** Ours: as over HTTP, a dripping answer comes in pieces of this size, so far apart. */
const DRIP = { chars: 64, ms: 400 } as const;

export interface ServiceSetup {
  given: GivenOptions;
  /** Left out: the embedded service's own. */
  keys?: readonly ReferenceKey[];
  workers?: readonly Worker[];
  otherFaults: readonly Fault[];
  machine: Machine;
  clockOffsetMs: number;
  clockDrift: number;
  draw: Draw;
  post: PostWebhook;
  /** The machine's name or address. */
  host: string;
}

export interface SimulatedService {
  baseUrl: string;
  serve: Serve;
  /** As a target file would describe it. */
  target(): { target: Target; secrets: Secrets };
}

interface SimulatedReference extends SimulatedService {
  options: ReferenceOptions;
  keys: ReferenceCore["keys"];
  faults: ReferenceCore["faults"];
}

/** The reference service. */
export function openService(setup: ServiceSetup): SimulatedReference {
  const { given, otherFaults, draw, post, keys, workers } = setup;
  const baseUrl = addressOf(setup);
  const options = fillOptions(given);
  const core = createCore({
    options,
    faults: [...FAULTS, ...otherFaults],
    clock: closable(ownClock(setup)),
    random: draw,
    post,
    baseUrl: () => baseUrl,
    ...(keys === undefined ? {} : { keys }),
    ...(workers === undefined ? {} : { workers }),
  });
  const described = { baseUrl, options, keys: core.keys };
  const { faults } = core;
  const serve = served(setup, core);
  return { ...described, faults, serve, target: () => embeddedTarget(described) };
}

export function addressOf({ host }: Pick<ServiceSetup, "host">): string {
  return `http://${host}:${PORT}`;
}

/** What decides on answers, on a machine that takes its time for each. */
export function served(
  { machine }: Pick<ServiceSetup, "machine">,
  core: Pick<ReferenceCore, "handle">,
): Serve {
  const program = new Program(machine);
  return ({ method, target, rawHeaders, body, connection }, reply) => {
    program.enqueue(REQUEST_COST_MS, () => {
      const [path = "", query = ""] = target.split("?", 2);
      const outcome = core.handle({ method, path, query, rawHeaders, body, connection });
      const answerMs = machine.clock.nowMs() + Math.max(0, outcome.delayMs);
      machine.clock.plainAt(answerMs, () => reply(servedAnswer(outcome.answer)));
    });
  };
}

/** The service's machine has a clock of its own; how long things take is by that clock, too. */
export function ownClock({
  machine,
  clockOffsetMs,
  clockDrift,
}: Pick<ServiceSetup, "machine" | "clockOffsetMs" | "clockDrift">): Clock {
  const { clock } = machine;
  const startMs = clock.nowMs();
  const speed = 1 + clockDrift;
  return {
    nowMs: () => startMs + clockOffsetMs + (clock.nowMs() - startMs) * speed,
    after: (delayMs, callback) => clock.after(delayMs / speed, callback),
  };
}

function servedAnswer(answer: ReturnType<ReferenceCore["handle"]>["answer"]): ServedAnswer {
  const { status, delivery } = answer;
  const sent = textOf(answer) ?? "";
  const pieces = Math.ceil(sent.length / DRIP.chars);
  return {
    status,
    headers: inLowerCase(answer.headers),
    body: sent,
    isReset: delivery === "reset",
    bodyMs: delivery === "drip" ? Math.max(0, pieces - 1) * DRIP.ms : 0,
  };
}

/** Names of headers have no case (RFC 9110 §5.1); clients are handed them in small letters. */
function inLowerCase(headers: ServedAnswer["headers"]): ServedAnswer["headers"] {
  const named: Record<string, string> = {};
  for (const name of Object.keys(headers)) named[name.toLowerCase()] = headers[name] ?? "";
  return named;
}
