/** The stranger in a scene of the simulation, and as a target file would describe it. */

import { DEFAULT_TOLERANCES } from "../../contract/run/run-plan.ts";
import type { Target, WebhookTarget } from "../../contract/target.ts";
import { Secret, type Secrets } from "../../contract/text/secret.ts";
import { loadPlan, SECRET_VARIABLE, webhookOf } from "../../reference/embedded-target.ts";
import type { ServiceSetup, SimulatedService } from "../../simulation/service.ts";
import { addressOf, ownClock, served } from "../../simulation/service.ts";
import { STRANGER_KEYS } from "./service/accounts.ts";
import type { Picks } from "./service/choices.ts";
import { picksOf } from "./service/choices.ts";
import { OWN_HEADER, STRANGER_SECRET, secretOf } from "./service/courier.ts";
import type { StrangerOptions } from "./service/ports.ts";
import { createStranger } from "./service/stranger.ts";

export function strangerIn(options: StrangerOptions): (setup: ServiceSetup) => SimulatedService {
  return (setup) => {
    const baseUrl = addressOf(setup);
    const clock = ownClock(setup);
    const stranger = createStranger(
      { clock, random: setup.draw, post: setup.post, baseUrl },
      options,
    );
    const described = strangerTarget(baseUrl, picksOf(options.choices));
    return { baseUrl, serve: served(setup, stranger), target: () => described };
  };
}

/** Ours: long enough for faults of 1 job in 100. */
const LOAD_MS = 60_000;

const CANCEL_BODIES = {
  DELETE: null,
  POST: { action: "cancel" },
  PATCH: { status: "cancelled" },
} as const;

const SCHEMES = {
  hex: "hmac-sha256",
  prefixed: "hmac-sha256",
  base64: "hmac-sha256-base64",
  timestamped: "hmac-sha256-timestamp",
} as const;

/** `untold`: nobody told the operator how deliveries are signed, and under which name. */
function webhookTarget({ signature, signatureHeader }: Picks): WebhookTarget {
  const usual = webhookOf(SCHEMES[signature]);
  if (signatureHeader === "neutral") return usual;
  if (signatureHeader === "own") {
    return { ...usual, signature: { ...usual.signature, header: OWN_HEADER } };
  }
  return { ...usual, signature: { ...usual.signature, scheme: "present", secretEnvs: [] } };
}

/** What signs deliveries: of all accounts, or of one where no more is told. */
function secretFor(picks: Picks): Secret {
  const accounts = [...new Set(STRANGER_KEYS.map(({ account }) => account))];
  const all = picks.secretsTold === "one" ? [] : accounts.map((each) => secretOf(each, picks));
  return new Secret([...new Set([STRANGER_SECRET, ...all])].join(" "));
}

function strangerTarget(baseUrl: string, picks: Picks): { target: Target; secrets: Secrets } {
  const keys = STRANGER_KEYS.map(({ value, ...key }, index) => {
    return { value, planned: { ...key, env: `PLUMBLINE_KEY_${index}` } };
  });
  const target: Target = {
    baseUrl,
    timeScale: 1,
    embedded: true,
    keys: keys.map(({ planned }) => planned),
    workers: {
      success: { id: "text-mirror", input: { text: "mirror me" }, marker: "text" },
      slow: { id: "long-nap", input: { seconds: 9 } },
      timeout: { id: "short-fuse", input: { seconds: 300 } },
      failure: { id: "always-breaks", input: {} },
      list: { id: "table-maker", input: { rows: 4 } },
      empty: { id: "silent", input: {} },
      files: { id: "pdf-press", input: { title: "Übersicht", pages: 3 } },
    },
    publish: { worker: "my-tool", key: null },
    cancel: { method: picks.cancelMethod, body: CANCEL_BODIES[picks.cancelMethod] },
    webhook: webhookTarget(picks),
    load: { ...loadPlan(1), durationMs: LOAD_MS },
    tolerances: DEFAULT_TOLERANCES,
    budget: null,
  };
  const values = keys.map(({ planned, value }) => [planned.env, new Secret(value)] as const);
  return { target, secrets: new Map([...values, [SECRET_VARIABLE, secretFor(picks)]]) };
}
