/** A good target file, and what is wrong with others. */

import { parseTargetFile } from "../../../cli/target-file/target-file.ts";
import { UsageError } from "../../../cli/usage-error.ts";

export const ENVIRONMENT = { KEY_A: "secret-a", KEY_B: "secret-b", HOOK: "secret-hook" };

export const HEALTHY = `
target: { baseUrl: "https://api.example.com/base/" }
keys:
  - { name: a, plan: free, env: KEY_A }
`;

export function problemsOf(
  text: string,
  environment: Record<string, string> = ENVIRONMENT,
): string[] {
  try {
    parseTargetFile(text, "t.yaml", environment);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return [...error.problems];
    throw error;
  }
}
