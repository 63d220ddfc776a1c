/** Made-up identifiers look like issued ones and are none. */

import { describe, expect, it } from "vitest";
import {
  madeUpJobId,
  madeUpWorkerId,
  unknownJobIds,
  unknownWorkerIds,
} from "../../../../scenarios/client/inputs/made-up.ts";
import { seededRandom } from "../../../../scenarios/world/random.ts";

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
    ["run-01HZX3", /^run-[0-9A-Z]{7}$/],
    ["j10c", /^j[0-9a-z]{6}$/],
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
    const [a, b] = [madeUpWorkerId(random), madeUpWorkerId(random)];
    expect(a).toMatch(/^[a-z0-9-]{8,40}$/);
    expect(a).not.toBe(b);
  });
});

describe("unknownJobIds", () => {
  const uuids = [
    "0b29b244-e92d-4565-8e45-17b226f94569",
    "f16978e4-565c-4b29-9244-e92d17b226f9",
    "6c1d3f80-77aa-4e10-a0d3-90b1c2d3e4f5",
  ];

  it("have the form of issued ones where a 404 is asked for", () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const ids = unknownJobIds(seededRandom(seed), uuids);
      const strict = ids.filter(({ lawful }) => lawful.length === 0).map(({ id }) => id);
      expect(strict.length).toBeGreaterThan(2);
      for (const id of strict) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
      for (const { id } of ids) expect(uuids).not.toContain(id);
    }
  });

  it.each([
    ["numbers", ["1", "20"], ["1x"]],
    ["numbers with a prefix", ["job_8", "job_12"], ["job_8x"]],
    ["numbers and others", ["10", "1a"], []],
  ])("of %s are one of them and a letter more", (_, issued, expected) => {
    const ids = unknownJobIds(seededRandom(1), issued).map(({ id }) => id);
    expect(ids.filter((id) => issued.some((each) => id === `${each}x`))).toEqual(expected);
  });

  it.each([[[]], [["job_8"]], [["1", "2", "3"]]])("are none of %j", (issued) => {
    const ids = unknownJobIds(seededRandom(1), issued).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    for (const id of ids) expect(issued).not.toContain(id);
  });
});

describe("unknownWorkerIds", () => {
  it("are no worker's, known or not", () => {
    expect(unknownWorkerIds(seededRandom(1), null)).toHaveLength(1);
    const ids = unknownWorkerIds(seededRandom(1), "echo").map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    expect(ids).not.toContain("echo");
  });

  it.each([
    ["1042", /^9[0-9]{8}$/],
    ["wrk_7", /^wrk_9[0-9]{8}$/],
    ["wrk_a8f3k2", /^wrk_a[0-9][a-z][0-9][a-z][0-9]$/],
    ["wrk_4f9a2c", /^wrk_[0-9][a-f][0-9][a-f][0-9][a-f]$/],
    ["wrk_a12345", /^wrk_a[0-9]{5}[a-f]$/],
    ["wrk_a8f3", /^wrk_a[0-9][a-z][0-9][a-z][0-9][a-z]$/],
    ["wrk_kqzpl", /^wrk_[a-z]{7}$/],
    ["4b29b244-e92d-4565-8e45-17b226f94569", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ])("have the form of known ones, as %s, where a 404 is asked for", (known, form) => {
    const ids = unknownWorkerIds(seededRandom(1), known);
    const strict = ids.filter(({ lawful }) => lawful.length === 0).map(({ id }) => id);
    expect(strict).toEqual([expect.stringMatching(form)]);
  });

  it("are names beside a name, and those most like it may be issued", () => {
    const ids = unknownWorkerIds(seededRandom(1), "resize-images");
    const strict = ids.filter(({ lawful }) => lawful.length === 0).map(({ id }) => id);
    expect(strict).toEqual([
      expect.stringMatching(/^no-such-[a-z]{16}$/),
      expect.stringMatching(/^resize-images-[a-z]{6}$/),
    ]);
    const likely = ids.filter(({ mayBeIssued }) => mayBeIssued).map(({ id }) => id);
    expect(likely).toEqual(["resize-image", "resize-imagesx"]);
  });
});
