/** Exit codes of the command line: k6's own where k6 has one for the same outcome. */

export const EXIT = {
  /** Something was kept, nothing broken, nothing left in doubt. */
  ok: 0,
  /** A promise is broken. k6: thresholds have failed. */
  broken: 99,
  /** Bad usage or configuration. k6: invalid config. */
  usage: 104,
  /** Stopped by a signal. k6: external abort. */
  interrupted: 105,
  /** No verdict could be reached. Ours: a code that k6 gives to nothing we pass on. */
  noVerdict: 111,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
