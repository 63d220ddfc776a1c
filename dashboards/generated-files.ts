/** Everything that follows from the code of this room, by name in the folder of generated files. */

import { boardsOf } from "./boards/index.ts";
import { boardJson } from "./grafana/board.ts";
import { LINT_FILE, lintExclusions } from "./lint-exclusions.ts";
import { alertmanagerExample } from "./rules/alertmanager.ts";
import type { RuleOptions } from "./rules/options.ts";
import { ruleFile } from "./rules/rule-file.ts";

export function generatedFiles(options: RuleOptions): ReadonlyMap<string, string> {
  const boards = boardsOf(options).map(
    (board) => [`plumbline-${board.id}.json`, boardJson(board, options)] as const,
  );
  return new Map([
    ...boards,
    ["plumbline-rules.yaml", ruleFile(options)],
    ["alertmanager.example.yaml", alertmanagerExample(options)],
    [LINT_FILE, lintExclusions()],
  ]);
}
