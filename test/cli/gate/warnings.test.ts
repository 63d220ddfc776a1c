/** What is let through with a warning: public URLs in clear text, query addresses that are open. */

import { describe, expect, it } from "vitest";

import { publicUrlWarnings, queryAddressWarnings } from "../../../cli/gate/warnings.ts";
import { runCli } from "../run-cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const codesOf = (warnings: readonly { code: string }[]) => warnings.map(({ code }) => code);

describe("warnings", () => {
  it.each([
    ["http://hooks.example.com", ["insecure-public-url"]],
    ["http://192.0.2.7:9401/d", ["insecure-public-url"]],
    ["https://hooks.example.com", []],
    ["http://127.0.0.1:9401", []],
    ["http://[::1]:9401", []],
    ["http://localhost", []],
    [null, []],
  ])("of the public URL %s: %j", (publicUrl, codes) => {
    expect(codesOf(publicUrlWarnings(publicUrl))).toEqual(codes);
  });

  it.each([
    ["0.0.0.0", ["open-query-address"]],
    ["::", ["open-query-address"]],
    ["127.0.0.1", []],
    ["localhost", []],
  ])("of the query address %s: %j", (host, codes) => {
    expect(codesOf(queryAddressWarnings(host))).toEqual(codes);
  });

  it("are told before a gate run", async () => {
    await using folder = await temporaryFolder();
    const target = `
target: { baseUrl: "http://127.0.0.1:1" }
keys: [{ name: a, plan: free, env: KEY_A }]
webhook: { publicUrl: "http://hooks.example.com" }
budget: { jobs: 50 }
`;
    const file = await folder.write("plumbline.yaml", target);
    const args = ["gate", "--target", file, "--report", folder.path];
    const run = await runCli(args, { environment: { KEY_A: "x" } });
    expect(run.stderr).toMatch(/^warning \(insecure-public-url\): public URL http:\/\/hooks/);
    expect(run.stderr).not.toContain("no-load");
    expect(run.exitCode).toBe(111);
    const soak = await runCli([...args, "--profile", "soak"], { environment: { KEY_A: "x" } });
    expect(soak.stderr).toContain("warning (no-load): this soak offers no load; expected load: {");
  });
});
