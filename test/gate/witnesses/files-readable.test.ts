/** The witness of job.files-readable against a storage that serves bytes, redirects and refuses. */

import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesReadableWitness } from "../../../gate/witnesses/files-readable.ts";
import { testimonyOf } from "../../../gate/witnesses/witness.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { jobBody } from "../../contract/judges/job/fixtures.ts";
import { listen } from "../../http/listen.ts";
import { contextFor, KEY_VALUE } from "./context.ts";

const BYTES = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00]);

let path = "/file";
let variant: "A" | "B" = "B";
let origin = "";
const asked: { url: string; key: string | null }[] = [];

function job(id: string): string {
  const file = { id: "f", name: "f.jpg", content_type: "image/jpeg", size_bytes: BYTES.length };
  const body = jobBody(variant, "completed", id);
  return JSON.stringify(
    variant === "A" ? body : { ...body, files: [{ ...file, url: origin + path }] },
  );
}

const server = createServer(({ url = "", headers }, response) => {
  const key = headers["x-api-key"];
  asked.push({ url, key: typeof key === "string" ? key : null });
  if (url.startsWith("/v1/jobs/")) response.end(job(url.slice("/v1/jobs/".length)));
  else if (url === "/moved") response.writeHead(307, { location: "/file" }).end();
  else if (url === "/round") response.writeHead(302, { location: "/round" }).end();
  else if (url === "/short") response.end(BYTES.subarray(1));
  else response.writeHead({ "/file": 200, "/broken": 503 }[url] ?? 403).end(BYTES);
});

beforeAll(async () => {
  origin = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => server.close());

/** What the run saw of the one job that it has left. */
interface Left {
  /** Of the file's address, at the job's end. */
  before?: { status: number; bytes: number | null };
  /** The address that the run was shown: the one that is shown now, another, or none. */
  shown?: "same" | "other" | "none";
  /** It was seen to end without files. */
  withoutFiles?: "A" | "B";
}

const FILE_URLS = {
  same: (url: string) => [url],
  other: (url: string) => [`${url}?signed=before`],
  none: () => [],
};

async function judge(at: string, of: typeof variant = "B", left: Left | null = {}) {
  [path, variant] = [at, of];
  asked.length = 0;
  const url = origin + at;
  const { before, shown = before === undefined ? "other" : "same" } = left ?? {};
  const { withoutFiles = null } = left ?? {};
  const filesTried = before === undefined ? [] : [{ url, ...before }];
  const one = { id: "job-1", fileUrls: FILE_URLS[shown](url), filesTried, withoutFiles };
  const context = { ...contextFor(origin), jobs: left === null ? [] : [one] };
  return (await testimonyOf(filesReadableWitness, context)).finding;
}

describe("job.files-readable", () => {
  it.each(["/file", "/moved"])("is kept where %s leads to the bytes, without a key", async (at) => {
    const summary = "1 file read in the stated size";
    expect(await judge(at)).toMatchObject({ verdict: "kept", summary });
    const downloads = asked.filter(({ url }) => !url.startsWith("/v1/"));
    expect(downloads.map(({ key }) => key)).toEqual(downloads.map(() => null));
    expect(asked[0]?.key).toBe(KEY_VALUE);
  });

  it.each([
    ["/refused", "is answered 403"],
    ["/short", "has 4 bytes; `size_bytes` is 5"],
  ])("is broken where %s %s", async (at, what) => {
    const finding = await judge(at);
    expect(finding.verdict).toBe("broken");
    expect(finding.summary).toBe(`a file of job job-1 ${what}`);
    expect(JSON.stringify(finding)).not.toContain(KEY_VALUE);
    expect(Object.values(finding.evidence)).not.toContain(null);
  });

  it.each(["/broken", "/round"])(
    covers("is in doubt where %s tells nothing", "13 gate"),
    async (at) => {
      expect(await judge(at)).toMatchObject({ verdict: "inconclusive" });
      expect(asked.filter(({ url }) => url === at).length).toBeLessThanOrEqual(4);
    },
  );

  const SIZE = BYTES.length;
  it.each([
    ["was answered in its size at its job's end", { status: 206, bytes: SIZE }, "kept"],
    ["was answered then, without a size", { status: 200, bytes: null }, "inconclusive"],
    ["was answered then, in another size", { status: 206, bytes: SIZE + 1 }, "broken"],
    ["was refused then as well", { status: 403, bytes: null }, "broken"],
    ["was not answered then", { status: 0, bytes: null }, "inconclusive"],
    ["was answered then with an error", { status: 503, bytes: null }, "inconclusive"],
    ["redirected then", { status: 302, bytes: null }, "inconclusive"],
    ["can't give a part", { status: 416, bytes: null }, "inconclusive"],
  ])("of an address that is refused, and %s, is told", async (_, before, verdict) => {
    expect((await judge("/refused", "B", { before })).verdict).toBe(verdict);
  });

  it.each(["same", "none"] as const)(
    "is open where an old address is refused (%s)",
    async (shown) => {
      expect(await judge("/refused", "B", { shown })).toMatchObject({
        verdict: "inconclusive",
        reason: expect.stringMatching(/answered 403 when its address may have expired$/),
      });
    },
  );

  it("is broken where a new address is refused", async () => {
    expect((await judge("/refused", "B", { shown: "other" })).verdict).toBe("broken");
  });

  it.each([
    [404, "broken"],
    [416, "kept"],
    [206, "kept"],
  ])(
    "of a file that is there now, and was answered %i at its job's end, is %s",
    async (status, verdict) => {
      const before = { status, bytes: status === 206 ? SIZE : null };
      expect((await judge("/file", "B", { before })).verdict).toBe(verdict);
    },
  );

  it("believes the whole file more than the head of an earlier answer", async () => {
    const before = { status: 206, bytes: SIZE };
    expect((await judge("/short", "B", { before })).verdict).toBe("broken");
  });

  it.each([
    ["A", "variant A has no files"],
    ["B", "no job that the run submitted has a file"],
  ] as const)("reads no job of variant %s that ended without files", async (withoutFiles, why) => {
    expect((await judge("/file", "B", { shown: "none", withoutFiles })).reason).toBe(why);
    expect(asked).toEqual([]);
  });

  it("is not observed in variant A, nor without jobs", async () => {
    expect((await judge("/file", "A")).reason).toBe("variant A has no files");
    expect((await judge("/file", "B", null)).verdict).toBe("unobserved");
  });
});
