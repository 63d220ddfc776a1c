/** A receiver for one test, closed after it, and its query interface as HTTP. */

import { onTestFinished } from "vitest";
import type { AnswerStep, Delivery } from "../../contract/jobs/delivery.ts";
import { deliveryUrl } from "../../contract/jobs/delivery.ts";
import type { GivenReceiverOptions } from "../../receiver/options.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { startReceiver } from "../../receiver/receiver.ts";
import { deliveriesAnswer } from "./answers.ts";
import { newToken } from "./post.ts";

export async function open(options: GivenReceiverOptions = {}): Promise<Receiver> {
  const receiver = await startReceiver(options);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** A webhook URL with a token of its own. */
export function webhook(
  receiver: Receiver,
  script: readonly AnswerStep[],
  token = newToken(),
): { token: string; url: string } {
  return { token, url: deliveryUrl(receiver.access.publicUrl, token, script) };
}

export const OK: AnswerStep = { kind: "status", status: 200, delayMs: 0 };

export function answer(status: number, delayMs = 0): AnswerStep {
  return { kind: "status", status, delayMs };
}

/** What the query address asks for. */
export function secretHeaders({ querySecret }: Receiver): { authorization: string } {
  return { authorization: `Bearer ${querySecret}` };
}

/** The deliveries of a token by HTTP, once there are more than `after`; checked by the schema. */
export async function asked(
  receiver: Receiver,
  token: string,
  after = 0,
  waitMs = 10_000,
): Promise<Delivery[]> {
  const query = `token=${token}&after=${after}&waitMs=${waitMs}`;
  const response = await fetch(`${receiver.access.queryUrl}/deliveries?${query}`, {
    headers: secretHeaders(receiver),
  });
  return deliveriesAnswer.parse(await response.json()).deliveries;
}

/** The first delivery of a token once the condition holds; a scripted answer may take its time. */
export async function eventually(
  receiver: Receiver,
  token: string,
  holds: (delivery: Delivery) => boolean,
): Promise<Delivery> {
  for (let tries = 0; tries < 400; tries += 1) {
    const [delivery] = await receiver.deliveries(token);
    if (delivery !== undefined && holds(delivery)) return delivery;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no such delivery for ${token} within 10 s`);
}
