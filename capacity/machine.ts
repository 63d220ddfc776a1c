/** The machine that a load comes from, as far as its figures depend on it. */

import os from "node:os";

export interface Machine {
  platform: string;
  arch: string;
  /** Model of the processor. */
  processor: string;
  cores: number;
}

export function thisMachine(): Machine {
  const processors = os.cpus();
  const processor = processors[0]?.model.trim() || "unknown";
  return { platform: os.platform(), arch: os.arch(), processor, cores: processors.length };
}
