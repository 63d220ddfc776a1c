/** The machine that a load comes from, as far as its figures depend on it. */

import os from "node:os";
import { z } from "zod";

export const machineSchema = z.strictObject({
  platform: z.string(),
  arch: z.string(),
  /** Model of the processor. */
  processor: z.string(),
  cores: z.int().nonnegative(),
});

export type Machine = z.infer<typeof machineSchema>;

export function thisMachine(): Machine {
  const processors = os.cpus();
  const processor = processors[0]?.model.trim() || "unknown";
  return { platform: os.platform(), arch: os.arch(), processor, cores: processors.length };
}
