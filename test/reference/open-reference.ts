/** The embedded service as long as one test; not for concurrent ones. */

import { onTestFinished } from "vitest";
import type { ReferenceService } from "../../reference/service.ts";
import { startReference } from "../../reference/service.ts";

export async function openReference(
  ...given: Parameters<typeof startReference>
): Promise<ReferenceService> {
  const service = await startReference(...given);
  onTestFinished(() => service.close());
  return service;
}
