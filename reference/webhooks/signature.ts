/** Signatures of webhook deliveries, HMAC-SHA256 in the spellings that are in common use. */

import { createHmac } from "node:crypto";
import type { ReferenceKey } from "../accounts/keys.ts";
import type { Choices } from "../choices.ts";
import type { ReferenceOptions } from "../options.ts";

interface SignedMessage {
  body: string;
  /** Identifier of the delivery; the same for its repetitions. */
  id: string;
  atMs: number;
}

/** With which the webhooks of an account are signed. */
export function secretOf(
  { choices, signingSecret }: Pick<ReferenceOptions, "choices" | "signingSecret">,
  account: string,
): string {
  return choices.secrets === "one" ? signingSecret : `${signingSecret}-${account}`;
}

/** All of them, with a space between two, as a target takes them. */
export function secretsOf(
  options: Parameters<typeof secretOf>[0],
  keys: readonly Pick<ReferenceKey, "account">[],
): string {
  return [...new Set(keys.map(({ account }) => secretOf(options, account)))].join(" ");
}

/** Headers of one delivery; the first is the signature itself. */
export function signatureOf(
  scheme: Choices["signature"],
  secret: string,
  message: SignedMessage,
): string {
  const seconds = Math.floor(message.atMs / 1000);
  const hmac = (text: string) => createHmac("sha256", secret).update(text);
  switch (scheme) {
    case "hex":
      return hmac(message.body).digest("hex");
    case "base64":
      return hmac(message.body).digest("base64");
    case "sha256-prefix":
      return `sha256=${hmac(message.body).digest("hex")}`;
    case "timestamped":
      return `t=${seconds},v1=${hmac(`${seconds}.${message.body}`).digest("hex")}`;
    case "standard-webhooks":
      return `v1,${hmac(`${message.id}.${seconds}.${message.body}`).digest("base64")}`;
  }
}

/** The further headers that a receiver needs to check the scheme. */
export function companionHeaders(
  scheme: Choices["signature"],
  message: SignedMessage,
): Record<string, string> {
  if (scheme !== "standard-webhooks") return {};
  const seconds = Math.floor(message.atMs / 1000);
  return { "webhook-id": message.id, "webhook-timestamp": String(seconds) };
}
