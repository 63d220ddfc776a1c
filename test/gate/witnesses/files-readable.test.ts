/** The witness of job.files-readable against a storage that serves bytes, redirects and refuses. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesReadableWitness } from "../../../gate/witnesses/files-readable.ts";
import { testimonyOf } from "../../../gate/witnesses/witness.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { jobBody } from "../../contract/judges/job/fixtures.ts";
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
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function judge(at: string, of: typeof variant = "B", jobIds = ["job-1"]) {
  [path, variant] = [at, of];
  asked.length = 0;
  const { finding } = await testimonyOf(filesReadableWitness, { ...contextFor(origin), jobIds });
  return finding;
}

describe("job.files-readable", () => {
  it.each(["/file", "/moved"])("is kept where %s leads to the bytes, without a key", async (at) => {
    expect(await judge(at)).toMatchObject({ verdict: "kept" });
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
  });

  it.each(["/broken", "/round"])(
    covers("is in doubt where %s tells nothing", "13 gate"),
    async (at) => {
      expect(await judge(at)).toMatchObject({ verdict: "inconclusive" });
      expect(asked.filter(({ url }) => url === at).length).toBeLessThanOrEqual(4);
    },
  );

  it("is not observed in variant A, nor without jobs", async () => {
    expect((await judge("/file", "A")).reason).toBe("variant A has no files");
    expect((await judge("/file", "B", [])).verdict).toBe("unobserved");
  });
});
