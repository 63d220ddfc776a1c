/** Made-up identifiers look like issued ones and are none. */

import { describe, expect, it } from "vitest";
import { madeUpJobId, madeUpWorkerId } from "../../../scenarios/client/made-up.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";

describe("madeUpJobId", () => {
  it.each([
    ["job_456978e4565c4b29b244e92d17b226f9", /^job_[0-9a-f]{32}$/],
    ["4b29b244-e92d-4565-8e45-17b226f94569", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-/],
    ["1733333333333333333", /^[0-9]{19}$/],
  ])("keeps prefix, length and alphabet of %s", (issued, format) => {
    const made = madeUpJobId(seededRandom(1), issued);
    expect(made).toMatch(format);
    expect(made).toHaveLength(issued.length);
    expect(made).not.toBe(issued);
  });

  it.each([
    ["run-01HZX3", /^run-[0-9A-Z]{16}$/],
    ["job_8", /^job_9[0-9]{8}$/],
    ["123456", /^9[0-9]{8}$/],
    ["912345678", /^9[0-9]{9}$/],
    ["1234567890", /^9[0-9]{9}$/],
  ])("is none of those that %s may be counted among", (issued, format) => {
    expect(madeUpJobId(seededRandom(1), issued)).toMatch(format);
  });

  it("is a prefixed text where no identifier is known", () => {
    expect(madeUpJobId(seededRandom(1), null)).toMatch(/^job_[0-9a-z]{24}$/);
  });
});

describe("madeUpWorkerId", () => {
  it("is a slug, another one each time", () => {
    const random = seededRandom(1);
    const plan = { workers: {} };
    const [a, b] = [madeUpWorkerId(random, plan), madeUpWorkerId(random, plan)];
    expect(a).toMatch(/^[a-z0-9-]{8,40}$/);
    expect(a).not.toBe(b);
  });

  it("has the form of a known one, and is too long to be one by chance", () => {
    const success = { id: "wrk-01J9XK", input: {} };
    const id = madeUpWorkerId(seededRandom(1), { workers: { success } });
    expect(id).toMatch(/^[a-z]{3}-[0-9]{2}[A-Z][0-9][A-Z]{2}/);
    expect(id).toHaveLength(16);
  });
});
