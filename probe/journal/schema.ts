/** The journal's tables, how a file is told to be one, and how an older one is brought up. */

/** Ours: "PLMB", so that another program's database is never mistaken for a journal. */
export const APPLICATION_ID = 0x50_4c_4d_42;

/** A change of the tables raises it, and adds the step from the version before. */
export const SCHEMA_VERSION = 3;

/** A journal of this version without its record of what was spent has lost it. */
export const RECORD_SINCE_VERSION = 3;

/**
 * `runs`: one row a canary run; `phase` goes intended -> accepted -> settled, and `job_id` is set
 * by the second. `after_until_ms` says until when a settled run is still watched, for its webhook
 * or a late end. `charges` outlives its run, as the budget of a month must; `known` says that the
 * cost was stated. `heartbeat` is written to see whether the disk can be. `spoilt` holds what could
 * not be read back. `unknown_spending` has a row while a part of what was spent is not known.
 */
export const TABLES = `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    phase TEXT NOT NULL CHECK (phase IN ('intended', 'accepted', 'settled')),
    base_url TEXT NOT NULL,
    canary TEXT,
    job_id TEXT,
    intended_at_ms REAL NOT NULL,
    settled_at_ms REAL,
    after_until_ms REAL,
    outcome TEXT,
    intent TEXT NOT NULL,
    submission TEXT,
    settled TEXT
  ) STRICT;
  CREATE INDEX runs_by_phase ON runs (phase, settled_at_ms);
  CREATE INDEX runs_by_job ON runs (job_id);
  CREATE INDEX runs_by_canary ON runs (canary, settled_at_ms);
  CREATE INDEX runs_watched ON runs (after_until_ms) WHERE after_until_ms IS NOT NULL;
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
    final INTEGER NOT NULL,
    known INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX charges_by_time ON charges (at_ms);
  CREATE INDEX charges_by_worker ON charges (worker_id, at_ms);
  CREATE TABLE spoilt (run_id TEXT, what TEXT NOT NULL, record TEXT, why TEXT NOT NULL) STRICT;
  CREATE TABLE unknown_spending (why TEXT NOT NULL) STRICT;
`;

/** By the version that each begins from. */
export const MIGRATIONS: Readonly<Record<number, string>> = {
  1: `
    ALTER TABLE runs ADD COLUMN canary TEXT;
    ALTER TABLE runs ADD COLUMN after_until_ms REAL;
    UPDATE runs SET canary = json_extract(intent, '$.canary') WHERE json_valid(intent);
    CREATE INDEX runs_by_canary ON runs (canary, settled_at_ms);
    CREATE INDEX runs_watched ON runs (after_until_ms) WHERE after_until_ms IS NOT NULL;
    ALTER TABLE charges ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
    UPDATE charges SET known = final;
    CREATE TABLE spoilt (run_id TEXT, what TEXT NOT NULL, record TEXT, why TEXT NOT NULL) STRICT;
  `,
  2: "CREATE TABLE unknown_spending (why TEXT NOT NULL) STRICT;",
};
