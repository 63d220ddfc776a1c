/** Signature schemes, on bodies that are signed here by other code. */

import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import type { SignatureScheme } from "../../contract/jobs/delivery.ts";
import { Secret } from "../../contract/text/secret.ts";
import { withSecrets } from "../../receiver/options.ts";
import { createSignatureChecker } from "../../receiver/signature.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { asked, OK, open, webhook } from "./open-receiver.ts";
import { post } from "./post.ts";

const SECRET = "a secret of words";
const STANDARD_SECRET = `whsec_${Buffer.from("a key of some bytes").toString("base64")}`;
const BODY = '{"event":"job.completed","text":"ß"}';

const digest = (text: string, encoding: "hex" | "base64" | "base64url") =>
  createHmac("sha256", SECRET).update(text).digest(encoding);

const ofAnother = (encoding: "hex" | "base64") =>
  createHmac("sha256", "another").update(BODY).digest(encoding);

const SIGNED = {
  hex: digest(BODY, "hex"),
  base64: digest(BODY, "base64"),
  base64url: digest(BODY, "base64url"),
  timestamped: `t=1700000000,v1=${digest(`1700000000.${BODY}`, "hex")}`,
  standard: new Webhook(STANDARD_SECRET).sign("msg_1", new Date(1_700_000_000_000), BODY),
};
/** Of a key that is on its way out; where a scheme allows several signatures, one is enough. */
const OTHER = "0".repeat(64);

const CASES: [SignatureScheme, string | undefined, string][] = [
  ["present", SIGNED.hex, "present"],
  ["present", undefined, "absent"],
  ["present", "", "absent"],
  ["hmac-sha256", SIGNED.hex, "valid"],
  ["hmac-sha256", SIGNED.hex.toUpperCase(), "valid"],
  ["hmac-sha256", `sha256=${SIGNED.hex}`, "valid"],
  ["hmac-sha256", `v1=${SIGNED.hex}`, "valid"],
  ["hmac-sha256", `v1=${OTHER},v1=${SIGNED.hex}`, "valid"],
  ["hmac-sha256", `${OTHER}, ${SIGNED.hex}`, "valid"],
  ["hmac-sha256", `v1=${OTHER},v1=${OTHER}`, "invalid"],
  ["hmac-sha256", `signature=${SIGNED.hex}`, "invalid"],
  ["hmac-sha256", SIGNED.hex.slice(1), "invalid"],
  ["hmac-sha256", OTHER, "invalid"],
  ["hmac-sha256", SIGNED.base64, "invalid"],
  ["hmac-sha256", undefined, "absent"],
  ["hmac-sha256-base64", SIGNED.base64, "valid"],
  ["hmac-sha256-base64", `v1=${SIGNED.base64}`, "valid"],
  ["hmac-sha256-base64", SIGNED.base64url, "valid"],
  ["hmac-sha256-base64", `v1=${SIGNED.base64url}=`, "valid"],
  ["hmac-sha256-base64", SIGNED.base64.toLowerCase(), "invalid"],
  ["hmac-sha256-timestamp", SIGNED.timestamped, "valid"],
  ["hmac-sha256-timestamp", SIGNED.timestamped.replace(",", `, v1=${OTHER}, `), "valid"],
  ["hmac-sha256-timestamp", SIGNED.timestamped.replace("t=17", "t=18"), "invalid"],
  ["hmac-sha256-timestamp", SIGNED.hex, "invalid"],
  ["standard-webhooks", SIGNED.standard, "valid"],
  ["standard-webhooks", `v1,${OTHER} v2,x ${SIGNED.standard}`, "valid"],
  ["standard-webhooks", SIGNED.standard.replace("v1,", "v2,"), "invalid"],
  ["standard-webhooks", SIGNED.base64, "invalid"],
];

describe("a signature", () => {
  it.each(CASES)(covers("under %s, %s, is %3$s", "41 receiver"), (scheme, signature, state) => {
    const secret = scheme === "standard-webhooks" ? STANDARD_SECRET : SECRET;
    const checker = createSignatureChecker({ header: "x-service-signature", scheme, secret });
    const headers = { signature: signature ?? null, id: "msg_1", timestamp: "1700000000" };
    const check = checker(headers);
    // As a body comes: in pieces that end anywhere.
    for (const byte of Buffer.from(BODY)) check.take(Buffer.of(byte));
    expect(check.end(true).signature).toBe(state);
  });

  it.each([
    ["hmac-sha256", SIGNED.hex, `other ${SECRET.replaceAll(" ", "-")} more`, "invalid"],
    ["hmac-sha256", SIGNED.hex, SECRET, "valid"],
    ["hmac-sha256", ofAnother("hex"), "other another more", "valid"],
    ["hmac-sha256-base64", ofAnother("base64"), "other another", "valid"],
    ["hmac-sha256-base64", ofAnother("base64"), "other anothe r", "invalid"],
    ["standard-webhooks", SIGNED.standard, `whsec_b3RoZXI= ${STANDARD_SECRET}`, "valid"],
    ["standard-webhooks", SIGNED.standard, "whsec_b3RoZXI= whsec_bW9yZQ==", "invalid"],
  ] as const)("under %s is held against each of several secrets", (...given) => {
    const [scheme, signature, secret, state] = given;
    const checker = createSignatureChecker({ header: "x-service-signature", scheme, secret });
    const check = checker({ signature, id: "msg_1", timestamp: "1700000000" });
    check.take(Buffer.from(BODY));
    expect(check.end(true).signature).toBe(state);
  });

  it.each([
    ["other another more", ofAnother("hex"), 1],
    ["another", ofAnother("hex"), undefined],
    ["other another", OTHER, undefined],
  ])("by %s tells which of several secrets made it", (secret, signature, secretIndex) => {
    const scheme = "hmac-sha256";
    const check = createSignatureChecker({ header: "x-service-signature", scheme, secret });
    const reading = check({ signature, id: null, timestamp: null });
    reading.take(Buffer.from(BODY));
    expect(reading.end(true).secretIndex).toBe(secretIndex);
  });

  it.each([
    [ofAnother("hex"), ["B"]],
    [SIGNED.hex.replace(/^/, `${ofAnother("hex")},`), ["A", "B"]],
    [createHmac("sha256", "both").update(BODY).digest("hex"), ["A", "B"]],
    [createHmac("sha256", "old").update(BODY).digest("hex"), ["B"]],
    [OTHER, undefined],
  ])("tells which of several variables hold the secret that made it: %s", (signature, holders) => {
    const words = SECRET.replaceAll(" ", "-");
    const texts = { A: `${words} both`, B: "another both old" };
    const secrets = new Map(Object.entries(texts).map(([name, each]) => [name, new Secret(each)]));
    const given = { header: "x", scheme: "hmac-sha256", secretEnvs: ["A", "B", "UNSET"] } as const;
    const check = createSignatureChecker(withSecrets(given, secrets));
    const own = createHmac("sha256", words).update(BODY).digest("hex");
    const reading = check({
      signature: signature.replace(SIGNED.hex, own),
      id: null,
      timestamp: null,
    });
    reading.take(Buffer.from(BODY));
    expect(reading.end(true).secretEnvs).toEqual(holders);
  });

  it("is only present without a secret", async () => {
    const receiver = await open({ signature: { scheme: "hmac-sha256" } });
    const { token, url } = webhook(receiver, [OK]);
    await post(url, { body: BODY, headers: { "x-service-signature": OTHER } });
    expect(await asked(receiver, token)).toMatchObject([{ signature: "present" }]);
  });

  it("is read from the header that is named", async () => {
    const signature = { header: "X-Hub-Signature", scheme: "hmac-sha256", secret: SECRET } as const;
    const receiver = await open({ signature });
    const { token, url } = webhook(receiver, [OK]);
    await post(url, { body: BODY, headers: { "x-hub-signature": SIGNED.hex } });
    expect(receiver.access.signature).toEqual({
      header: "X-Hub-Signature",
      scheme: "hmac-sha256",
    });
    expect(await asked(receiver, token)).toMatchObject([{ signature: "valid" }]);
  });

  it(
    covers("is checked on the bytes as they came, also where they are no text", "18 receiver"),
    async () => {
      const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
      const signature = createHmac("sha256", SECRET).update(body).digest("hex");
      const receiver = await open({ signature: { scheme: "hmac-sha256", secret: SECRET } });
      const { token, url } = webhook(receiver, [OK]);
      await post(url, { body, headers: { "x-service-signature": signature } });
      expect(await asked(receiver, token)).toMatchObject([{ signature: "valid" }]);
    },
  );

  const LONG = "x".repeat(1_001);
  const TOO_LONG = "x".repeat(100_000);
  it.each([
    ["that fits a body over the cap", LONG, digest(LONG, "hex"), "valid"],
    [
      "of a body over the cap that fits its kept part",
      LONG,
      digest(LONG.slice(1), "hex"),
      "invalid",
    ],
    ["that a body over the cap lacks", LONG, "", "absent"],
    ["of a body that was cut off", TOO_LONG, digest(TOO_LONG, "hex"), "present"],
    ["that a body that was cut off lacks", TOO_LONG, "", "absent"],
  ])("%s is told", async (_, body, signed, state) => {
    const options = { bodyCapBytes: 1_000, memoryCapBytes: 100_000 };
    const signature = { scheme: "hmac-sha256", secret: SECRET } as const;
    const receiver = await open({ ...options, signature });
    const { token, url } = webhook(receiver, [OK]);
    await post(url, { body, headers: { "x-service-signature": signed } });
    expect(await asked(receiver, token)).toMatchObject([{ truncated: true, signature: state }]);
  });

  it("needs a well-formed Standard Webhooks secret, which no message repeats", async () => {
    const signature = { scheme: "standard-webhooks", secret: "whsec_no*base64" } as const;
    const opening = open({ signature });
    await expect(opening).rejects.toThrow(/not base64 after "whsec_"/);
    await expect(opening).rejects.not.toThrow(/no\*base64/);
  });
});
