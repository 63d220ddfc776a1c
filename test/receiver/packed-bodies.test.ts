/**
 * A sender may pack what it posts, and sign it before or after that: the specification names
 * neither. RFC 9110 §8.4.
 */

import { createHmac } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isUnchecked } from "../../contract/jobs/delivery.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { asked, OK, open, webhook } from "./open-receiver.ts";
import { post } from "./post.ts";

const SECRET = "a secret of words";
const SCHEME = "hmac-sha256";
const BODY = '{"event":"job.completed","text":"ü"}';

const signed = (body: string | Buffer) => createHmac("sha256", SECRET).update(body).digest("hex");

const signature = { scheme: SCHEME, secret: SECRET } as const;

/** What a receiver of the test's own shows of a delivery of those bytes. */
async function receiverOf(bytes: Buffer, coding: string, bodyCapBytes = 1_024) {
  const receiver = await open({ bodyCapBytes, signature });
  return (header: string) => shown(receiver, bytes, coding, header);
}

async function shown(receiver: Receiver, body: Buffer, coding: string, header: string) {
  const { token, url } = webhook(receiver, [OK]);
  const headers = { "content-encoding": coding, "x-service-signature": header };
  expect((await post(url, { body, headers })).status).toBe(200);
  const [delivery] = await asked(receiver, token);
  if (delivery === undefined) throw new Error("nothing arrived");
  return delivery;
}

describe("a packed body", () => {
  it.each([
    ["gzip", gzipSync(BODY)],
    ["deflate", deflateSync(BODY)],
    ["br", brotliCompressSync(BODY)],
    ["gzip, gzip", gzipSync(gzipSync(BODY))],
    ["identity", Buffer.from(BODY)],
  ])(
    "by %s is unpacked, and its signature is of what was sent or packed",
    async (coding, bytes) => {
      const whole = { body: BODY, bodyBytes: bytes.length, truncated: false };
      const show = await receiverOf(bytes, coding);
      const [ofSent, ofPacked, ofOther] = [signed(bytes), signed(BODY), signed("{}")];
      expect(await show(ofSent)).toMatchObject({ ...whole, signature: "valid" });
      expect(await show(ofPacked)).toMatchObject({ ...whole, signature: "valid" });
      expect(await show(ofOther)).toMatchObject({ ...whole, signature: "invalid" });
      expect(await show("")).toMatchObject({ ...whole, signature: "absent" });
    },
  );

  it.each(["gzip", "utf-8", ""])(
    "that is not packed, though it says %j, is as it came",
    async (coding) => {
      const bytes = Buffer.from(BODY);
      const show = await receiverOf(bytes, coding);
      const whole = { body: BODY, bodyBytes: bytes.length, truncated: false };
      expect(await show(signed(BODY))).toMatchObject({
        ...whole,
        signature: "valid",
      });
      expect(await show(signed("{}"))).toMatchObject({
        ...whole,
        signature: "invalid",
      });
    },
  );

  it.each<[string, Buffer, string, number?]>([
    ["by a coding that is unknown", Buffer.from("packed"), "compress"],
    ["by an unknown one, and gzip over it", gzipSync("packed"), "compress, gzip"],
    ["that is no gzip", Buffer.from("packed"), "gzip"],
    ["that breaks off", gzipSync(BODY).subarray(0, 20), "gzip"],
    ["of more than is kept", gzipSync(Buffer.alloc(100_000)), "gzip"],
    ["that is itself longer than is kept", gzipSync(BODY), "gzip", 16],
  ])("%s is a doubt, and no invalid signature", async (_, bytes, coding, cap = 1_024) => {
    const show = await receiverOf(bytes, coding, cap);
    const ofText = await show(signed(BODY));
    expect(ofText).toMatchObject({ bodyBytes: bytes.length, truncated: true });
    expect(isUnchecked(SCHEME, ofText)).toBe(true);
    const ofSent = await show(signed(bytes));
    expect(ofSent).toMatchObject({ truncated: true, signature: "valid" });
  });
});
