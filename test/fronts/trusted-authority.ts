/** Lets the tests of a file trust the authority that signed the certificate of the fronts. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { AUTHORITY_CERTIFICATE } from "./certificate.ts";

/** What users set for a private authority: the first is k6's, the second is Node's. */
const VARIABLES = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];

export function trustAuthority(): void {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "plumbline-authority-"));
    const file = path.join(folder, "authority.pem");
    await writeFile(file, AUTHORITY_CERTIFICATE);
    for (const variable of VARIABLES) vi.stubEnv(variable, file);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
}
