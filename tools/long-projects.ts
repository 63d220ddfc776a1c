/** The projects of the test runner that only `npm run test:all` runs, with the files of each. */

export interface LongProject {
  files: readonly string[];
  /** Projects of one group run side by side, the groups in turn. */
  group: number;
}

export const LONG_PROJECTS: Readonly<Record<string, LongProject>> = {
  "real k6, every fault": { files: ["test/kill-matrix/real/*.test.ts"], group: 1 },
  "real k6, healthy services": { files: ["test/healthy/*.test.ts"], group: 1 },
  "live alerts": { files: ["test/dashboards/live/*.test.ts"], group: 2 },
  "behind gateways": { files: ["test/fronts/*.test.ts"], group: 2 },
  "200 kills": { files: ["test/probe/journal/kill/*.test.ts"], group: 3 },
};
