/** A service behind a company's proxy, with a certificate of its own authority: k6 and Node. */

import { expect, it, onTestFinished } from "vitest";
import { startReference } from "../../reference/service.ts";
import { reportSchema } from "../../report/model.ts";
import { AUTHORITY_CERTIFICATE } from "../fronts/certificate.ts";
import { openForwardProxy } from "../fronts/forward-proxy.ts";
import { openTlsFront } from "../fronts/tls.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ours: k6 starts once, on a busy machine. */
const LIMIT_MS = 600_000;

/** Its name is known to nobody but the proxy. RFC 6761 §6.2. */
const TARGET = `
target: { baseUrl: "https://service.test" }
keys: [ { name: main, plan: pro, env: PROXY_TEST_KEY } ]
workers: { success: { id: echo, input: { text: hi } } }
`;

async function behindProxy() {
  const reference = await startReference({ seed: 7, timeScale: 0.05 });
  const front = await openTlsFront(reference.baseUrl);
  const proxy = await openForwardProxy(Number(new URL(front.baseUrl).port));
  onTestFinished(async () => {
    proxy.close();
    await front.close();
    await reference.close();
  });
  const key = reference.keys.find(({ plan }) => plan === "pro")?.value ?? "";
  return { proxy, key };
}

it("is judged through HTTPS_PROXY by k6 and by Node", { timeout: LIMIT_MS }, async () => {
  await using folder = await temporaryFolder();
  const { proxy, key } = await behindProxy();
  const file = await folder.write("plumbline.yaml", TARGET);
  const authority = await folder.write("authority.pem", AUTHORITY_CERTIFICATE);
  const environment = {
    PROXY_TEST_KEY: key,
    SSL_CERT_FILE: authority,
    NODE_EXTRA_CA_CERTS: authority,
    HTTPS_PROXY: proxy.url,
  };
  // The first is k6's alone, the second Node's.
  const only = ["--only", "auth.missing-key,auth.header-case", "--json"];
  const args = ["gate", "--target", file, "--report", `${folder.path}/report`, ...only];
  const { exitCode, stdout, stderr } = await runCli(args, { environment });
  expect([exitCode, exitCode === 0 ? "" : stderr]).toEqual([0, ""]);
  const { promises } = reportSchema.parse(JSON.parse(stdout));
  const kept = promises.filter(({ verdict }) => verdict === "kept").map(({ id }) => id);
  expect(kept).toEqual(["auth.missing-key", "auth.header-case"]);
  expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT service.test:443"]));
  proxy.asked.length = 0;
  const direct = await runCli(args, { environment: { ...environment, NO_PROXY: "service.test" } });
  expect([direct.exitCode, proxy.asked]).toEqual([111, []]);
});

it("says which variable has no address, and not its value", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("plumbline.yaml", TARGET);
  const environment = { PROXY_TEST_KEY: "a-key", HTTPS_PROXY: "ftp://user:password@proxy" };
  const { exitCode, stderr } = await runCli(["gate", "--target", file], { environment });
  const expected = "HTTPS_PROXY is not the address of a proxy; expected http://host:port";
  expect([exitCode, stderr]).toEqual([104, `error (invalid-option): ${expected}\n`]);
});
