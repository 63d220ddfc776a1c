/** The journal's tables, and how a file is told to be one. */

/** Ours: "PLMB", so that another program's database is never mistaken for a journal. */
export const APPLICATION_ID = 0x50_4c_4d_42;

/** A change of the tables raises it; a journal of another version is set aside, not guessed at. */
export const SCHEMA_VERSION = 1;

/**
 * `runs`: one row a canary run; `phase` goes intended -> accepted -> settled, and `job_id` is set
 * by the second. `charges` outlives its run, as the budget of a month must. `heartbeat` is written
 * to see whether the disk can be.
 */
export const TABLES = `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    phase TEXT NOT NULL CHECK (phase IN ('intended', 'accepted', 'settled')),
    base_url TEXT NOT NULL,
    job_id TEXT,
    intended_at_ms REAL NOT NULL,
    settled_at_ms REAL,
    outcome TEXT,
    intent TEXT NOT NULL,
    submission TEXT,
    settled TEXT
  ) STRICT;
  CREATE INDEX runs_by_phase ON runs (phase, settled_at_ms);
  CREATE INDEX runs_by_job ON runs (job_id);
  CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), at_ms REAL NOT NULL) STRICT;
  CREATE TABLE observations (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    observation TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE charges (
    run_id TEXT PRIMARY KEY,
    at_ms REAL NOT NULL,
    worker_id TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    credits REAL NOT NULL,
    usd REAL NOT NULL,
    final INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX charges_by_time ON charges (at_ms);
  CREATE INDEX charges_by_worker ON charges (worker_id, at_ms);
`;
