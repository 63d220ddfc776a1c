/** What programs made of names that nobody has, and of names that move. */

interface Told {
  status: number;
  error: string | null;
}

interface Settled {
  outcome: string | undefined;
  why: string | undefined;
}

export interface Findings {
  probe: {
    unknown: Settled;
    known: Settled;
    moved: Settled;
    jobs: { spentWhileUnknown: string; first: number; second: number };
  };
  scenario: {
    exitCode: number | null;
    stderrTail: string;
    /** Of the name that nobody has, and of the one that moves. */
    told: readonly (Told | null)[];
    answered: readonly string[];
  };
  gate: { exitCode: number; stderr: string };
  webhook: string;
}
