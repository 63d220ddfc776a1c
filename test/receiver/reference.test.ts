/**
 * The receiver beside the embedded service: real deliveries, real redeliveries, real signatures.
 */

import { describe, expect, it } from "vitest";
import type { AnswerStep, Delivery, SignatureScheme } from "../../contract/jobs/delivery.ts";
import { deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { GivenReceiverOptions } from "../../receiver/options.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import type { Choices } from "../../reference/choices.ts";
import type { ReferenceService } from "../../reference/service.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { start } from "../reference/client.ts";
import { patientFor } from "../reference/patient.ts";
import { answer, asked, OK, open, webhook } from "./open-receiver.ts";
import { newToken } from "./post.ts";

/** Ours: longer than a busy machine stands still; a series waits for it once. */
const ANSWER_MS = 3_000;

interface Scene {
  service: ReferenceService;
  receiver: Receiver;
}

async function scene(
  given: Parameters<typeof start>[0],
  scheme: SignatureScheme = "present",
  options: GivenReceiverOptions = {},
): Promise<Scene> {
  const { service } = await start(given, [patientFor(ANSWER_MS)]);
  const signature = { scheme, secret: service.options.signingSecret };
  return { service, receiver: await open({ ...options, signature }) };
}

/** Identifier of an accepted job with that webhook. */
async function submit({ service }: Scene, url: string): Promise<string> {
  const key = service.keys.find(({ state }) => state === "active")?.value ?? "";
  const response = await fetch(`${service.baseUrl}/v1/workers/echo/jobs`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ text: "hü", webhook: url }),
  });
  return ((await response.json()) as { job_uuid: string }).job_uuid;
}

async function firstDelivery(parts: Scene): Promise<Delivery | undefined> {
  const { token, url } = webhook(parts.receiver, [OK]);
  const id = await submit(parts, url);
  const [delivery] = await asked(parts.receiver, token, 0, 20_000);
  expect(JSON.parse(delivery?.body ?? "{}")).toMatchObject({ job_uuid: id });
  return delivery;
}

const SCHEMES: [Choices["signature"], SignatureScheme][] = [
  ["hex", "hmac-sha256"],
  ["sha256-prefix", "hmac-sha256"],
  ["base64", "hmac-sha256-base64"],
  ["timestamped", "hmac-sha256-timestamp"],
  ["standard-webhooks", "standard-webhooks"],
];

describe.each(["A", "B"] as const)("the embedded service, variant %s", (variant) => {
  it.each(SCHEMES)("signs %s, checked as %s", async (signature, scheme) => {
    const parts = await scene({ variant, choices: { signature } }, scheme);
    expect(await firstDelivery(parts)).toMatchObject({ signature: "valid" });
  });

  it.each([
    ["webhook.signed/tampered", "invalid"],
    ["webhook.signed/missing", "absent"],
    ["webhook.signed/empty", "absent"],
  ])("is found out by %s", async (fault, state) => {
    const parts = await scene({ variant, faults: [fault] }, "hmac-sha256");
    expect(await firstDelivery(parts)).toMatchObject({ signature: state });
  });
});

describe("a series of deliveries", () => {
  it("goes through every kind of failure", async () => {
    const script: AnswerStep[] = [answer(500), { kind: "reset" }, { kind: "silent" }, OK];
    const parts = await scene({});
    const { token, url } = webhook(parts.receiver, script);
    await submit(parts, url);
    const series = await asked(parts.receiver, token, 3, 25_000).then(() =>
      parts.receiver.deliveries(token),
    );
    expect(series.map(({ answer: step }) => step)).toEqual(script);
    expect(series.map(({ hungUpAtMs }) => hungUpAtMs !== null)).toEqual([
      false,
      false,
      true,
      false,
    ]);
    // Scaled by 0.02, the third wait is 6 s; on a busy machine an arrival is stamped late.
    const [third, fourth] = series.slice(2).map(({ arrivedAtMs }) => arrivedAtMs);
    expect((fourth ?? 0) - (third ?? 0)).toBeGreaterThan(5_000);
  });

  it(
    covers("that began with a refused connection goes on where the port is opened", "1 reference"),
    async () => {
      const parts = await scene({ timeScale: 0.05 }, "present", { refusing: true });
      const token = newToken();
      await submit(parts, deliveryUrl(parts.receiver.access.refusingUrl ?? "", token, [OK]));
      // Refused until here, whenever the first attempt came; the next are at 0.25, 1.75 and 17 s.
      await firstDelivery(parts);
      await parts.receiver.openRefusing();
      expect(await asked(parts.receiver, token, 0, 25_000)).toMatchObject([{ attempt: 1 }]);
    },
  );
});
