/** Made-up identifiers look like issued ones and are none. */

import { describe, expect, it } from "vitest";
import { madeUpJobId, madeUpWorkerId } from "../../../scenarios/contract/made-up.ts";
import { seededRandom } from "../../../scenarios/lib/random.ts";

describe("madeUpJobId", () => {
  it.each([
    ["job_456978e4565c4b29b244e92d17b226f9", /^job_[0-9a-f]{32}$/],
    ["4b29b244-e92d-4565-8e45-17b226f94569", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-/],
    ["run-01HZX3", /^run-[0-9A-Z]{6}$/],
    ["123456", /^[0-9]{6}$/],
  ])("keeps prefix, length and alphabet of %s", (issued, format) => {
    const made = madeUpJobId(seededRandom(1), issued);
    expect(made).toMatch(format);
    expect(made).toHaveLength(issued.length);
    expect(made).not.toBe(issued);
  });

  it("is a prefixed text where no identifier is known", () => {
    expect(madeUpJobId(seededRandom(1), null)).toMatch(/^job_[0-9a-z]{24}$/);
  });
});

describe("madeUpWorkerId", () => {
  it("is a slug, another one each time", () => {
    const random = seededRandom(1);
    const [a, b] = [madeUpWorkerId(random), madeUpWorkerId(random)];
    expect(a).toMatch(/^[a-z0-9-]{8,40}$/);
    expect(a).not.toBe(b);
  });
});
