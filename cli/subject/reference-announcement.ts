/** What the embedded service says of itself when it runs alone: where, for whom, and what. */

import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_RETRY_WAITS_MS,
  WEBHOOK_SIGNATURE_HEADER,
} from "../../contract/webhook-schedule.ts";
import type { Worker } from "../../reference/catalogue/worker.ts";
import { WORKERS } from "../../reference/catalogue/workers.ts";
import { CHOICE_NAMES, CHOICES } from "../../reference/choices.ts";
import { embeddedTarget } from "../../reference/embedded-target.ts";
import { ADMIN_PATH } from "../../reference/routes/admin.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { secretsOf } from "../../reference/webhooks/signature.ts";
import { aligned, duration, jsonText } from "../../report/text.ts";

/** As JSON, for a program that starts the service and wants to use it. */
export function machineReadable(service: ReferenceService): string {
  const { baseUrl, keys, options } = service;
  const { variant, timeScale, seed } = options;
  const { target } = embeddedTarget(service);
  const described = {
    baseUrl,
    adminUrl: baseUrl + ADMIN_PATH,
    variant,
    timeScale,
    seed,
    keys,
    webhook: {
      header: WEBHOOK_SIGNATURE_HEADER,
      scheme: target.webhook?.signature.scheme,
      secret: secretsOf(options, keys),
    },
    workers: target.workers,
    choices: options.choices,
    faults: service.faults.active(),
  };
  return jsonText(described);
}

export function announcement(service: ReferenceService): string {
  const { baseUrl, keys, options } = service;
  const scale = options.timeScale === 1 ? "real time" : `time scale ${options.timeScale}`;
  const key = keys.find(({ state }) => state === "active")?.value ?? "KEY";
  return `${[
    `reference service at ${baseUrl} (variant ${options.variant}, ${scale}, seed ${options.seed})`,
    "",
    "keys (header x-api-key; simulated, no secrets):",
    ...table(keys.map((each) => [each.name, each.value, aboutKey(each)])),
    "",
    "workers (POST /v1/workers/ID/jobs):",
    ...table(WORKERS.map((each) => [each.id, limitAndPrice(each), each.shortDescription])),
    "",
    ...webhooks(service),
    "",
    `choices: ${changedChoices(service)}`,
    `faults:  ${options.faults.length === 0 ? "none" : options.faults.join(", ")}`,
    `         switch: curl -X PUT ${baseUrl}${ADMIN_PATH}/NAME (DELETE: off; GET without: all)`,
    "",
    `try:  curl -H 'x-api-key: ${key}' ${baseUrl}/v1/workers`,
    "stop: Ctrl-C",
  ].join("\n")}\n`;
}

function aboutKey(key: ReferenceService["keys"][number]): string {
  const limit = `${key.sustained}/s, burst ${key.burst}`;
  const state = key.state === "active" ? "" : `, ${key.state}`;
  return `${key.plan} (${limit}), account ${key.account}${state}`;
}

function limitAndPrice({ timeoutSeconds, priceMicroUsd, billing }: Worker): string {
  const unit = billing === "event" ? "an event" : "a run";
  return `${timeoutSeconds} s at most, ${(priceMicroUsd / 1_000_000).toFixed(3)} USD ${unit}`;
}

function webhooks({ options, keys }: ReferenceService): string[] {
  const scaled = (ms: number) => duration(ms * options.timeScale);
  const waits = WEBHOOK_RETRY_WAITS_MS.map(scaled).join(", ");
  const limit = scaled(WEBHOOK_ANSWER_LIMIT_MS);
  return [
    `webhooks: answer 200 within ${limit}; else sent again after ${waits}`,
    `          ${WEBHOOK_SIGNATURE_HEADER}: ${options.choices.signature} of HMAC-SHA256, ` +
      `secret ${secretsOf(options, keys)}`,
  ];
}

function changedChoices({ options }: ReferenceService): string {
  const changed = CHOICE_NAMES.filter((name) => options.choices[name] !== CHOICES[name].values[0]);
  if (changed.length === 0) return "defaults";
  return changed.map((name) => `${name}=${options.choices[name]}`).join(", ");
}

function table(rows: readonly (readonly string[])[]): string[] {
  return aligned(rows).map((row) => `  ${row}`);
}
