/** Whatever is posted, and wherever to: a delivery of some token, or turned away; never a throw. */

import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SignatureScheme } from "../../contract/jobs/delivery.ts";
import {
  deliveryUrl,
  longDeliveryUrl,
  queryDeliveryUrl,
  SIGNATURE_SCHEMES,
} from "../../contract/jobs/delivery.ts";
import { createRouter, stepOf } from "../../receiver/delivery-route.ts";
import {
  createSignatureChecker,
  shownHeaders,
  signedAtMs,
  signedHeaders,
} from "../../receiver/signature.ts";
import { spoilt } from "../spoilt.ts";

const RUNS = { seed: 20_260_107, numRuns: 2_000 };
const SECRET = "canary-secret-of-a-webhook";
const STEPS = [
  { kind: "status", status: 500, delayMs: 20 },
  { kind: "reset" },
  { kind: "silent" },
  { kind: "status", status: 200, delayMs: 0, bodyMs: 9 },
] as const;
const TOKEN = "abcdefghijklmnopqr";

describe("a path", () => {
  const lawful = fc.constant(deliveryUrl("/base", TOKEN, STEPS));
  const paths = fc.oneof(
    spoilt(lawful),
    fc.webPath(),
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("/", "d", "%", "%2f", "..", TOKEN, "200", "@", ",", "?"), {
        maxLength: 12,
      })
      .map((parts) => parts.join("")),
  );

  it("is that of a delivery with a token and some steps, or of none", () => {
    const seen = { delivery: 0, greeting: 0, unknown: 0 };
    const holds = fc.property(
      paths,
      fc.constantFrom(null, "http://a.example/base/"),
      (path, url) => {
        const route = createRouter(url)(path);
        seen[route.kind] += 1;
        if (route.kind !== "delivery") return;
        expect(route.token).toMatch(/^[\w-]{16,128}$/);
        expect(route.steps.length).toBeLessThanOrEqual(32);
        for (const attempt of [1, 5, 1_000]) {
          const step = stepOf(route.steps, attempt);
          if (step.kind === "status") expect([step.status, step.delayMs]).toSatisfy(areLawful);
        }
      },
    );
    fc.assert(holds, {
      ...RUNS,
      examples: [
        ["/", null],
        [deliveryUrl("", TOKEN, STEPS), null],
        [queryDeliveryUrl("", TOKEN, STEPS), null],
      ],
    });
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });
});

it.each([
  ["in the path", deliveryUrl],
  ["in the query", queryDeliveryUrl],
  ["in a long query", longDeliveryUrl],
])("a token and its steps are read %s, below a base as well", (_, urlOf) => {
  for (const [base, publicUrl] of [
    ["", null],
    ["/base", "http://a.example/base/"],
  ] as const) {
    const route = createRouter(publicUrl)(urlOf(base, TOKEN, STEPS));
    expect(route).toEqual({ kind: "delivery", token: TOKEN, steps: STEPS });
  }
});

it("a URL without the query that it was given is no delivery's", () => {
  const [cut = ""] = queryDeliveryUrl("", TOKEN, STEPS).split("?");
  expect(createRouter(null)(cut)).toEqual({ kind: "unknown" });
});

it("a long URL is a delivery's as it was given, or as normalised, and not cut or decoded", () => {
  const url = longDeliveryUrl("", TOKEN, STEPS);
  const known = { kind: "delivery", token: TOKEN, steps: STEPS };
  const route = createRouter(null);
  // RFC 3986 §6.2.2: letters of escapes may be of either case, others than reserved be decoded.
  const lowered = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const { pathname, search } = new URL(url, "http://a.example");
  for (const same of [lowered, url.replaceAll("-", "%2D"), pathname + search]) {
    expect(route(same)).toEqual(known);
  }
  for (const other of [decodeURIComponent(url), url.slice(0, 255), url.slice(0, 128)]) {
    expect(route(other)).toEqual({ kind: "unknown" });
  }
});

function areLawful([status = 0, delayMs = -1]: number[]): boolean {
  return status >= 200 && status < 600 && delayMs >= 0 && delayMs < 1e7;
}

describe("a signature", () => {
  const schemes = SIGNATURE_SCHEMES.filter((each) => each !== "present");
  const headers = fc.dictionary(
    fc.oneof(
      fc.constantFrom("x-signature", "webhook-id", "webhook-timestamp", "authorization"),
      fc.constantFrom("__proto__", "constructor", "x-api-key", "content-type"),
    ),
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("t=1,v1=", "t=,v1=ab", "sha256=", "v1,", "v1, v1,", " ", "=".repeat(3_000)),
      fc.nat().map(String),
    ),
  );

  /** Whoever has not the secret can't sign, whatever is written in the head. */
  it.each(schemes)("by %s is valid of nothing that was made up", (scheme) => {
    const check = createSignatureChecker({ header: "X-Signature", scheme, secret: SECRET });
    const holds = fc.property(headers, fc.uint8Array({ maxLength: 40 }), (given, body) => {
      const signed = signedHeaders(given, "X-Signature");
      const reading = check(signed);
      reading.take(Buffer.from(body));
      expect(["absent", "invalid"]).toContain(reading.end(true).signature);
      expect(signedAtMs(signed)).toSatisfy((ms) => ms === null || ms >= 0);
      const shown = Object.keys(shownHeaders(given, "X-Signature"));
      expect(shown).not.toContain("x-signature");
      expect(shown).not.toContain("authorization");
    });
    fc.assert(holds, { ...RUNS, numRuns: 400 });
  });

  it("is of all bytes: one that is changed is told", () => {
    const scheme: SignatureScheme = "hmac-sha256";
    const check = createSignatureChecker({ header: "X-Signature", scheme, secret: SECRET });
    const bodies = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 99 }), fc.nat(), fc.nat(7));
    const holds = fc.property(bodies, ([body, place, bit]) => {
      const signature = createHmac("sha256", SECRET).update(body).digest("hex");
      const changed = body.map((byte, at) =>
        at === place % body.length ? byte ^ (1 << bit) : byte,
      );
      const ends = [body, changed].map((each) => {
        const reading = check(signedHeaders({ "x-signature": signature }, "X-Signature"));
        reading.take(Buffer.from(each));
        return reading.end(true).signature;
      });
      expect(ends).toEqual(["valid", "invalid"]);
    });
    fc.assert(holds, { ...RUNS, numRuns: 400 });
  });
});
