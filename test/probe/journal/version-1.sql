-- A journal of schema version 1, with one run under way and one that has ended.
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
PRAGMA application_id = 1347177794;
PRAGMA user_version = 1;
INSERT INTO runs (run_id, phase, base_url, job_id, intended_at_ms, intent)
VALUES ('run-1', 'accepted', 'http://a', 'job-1', 1768478400000,
  '{"runId":"run-1","canary":"success","workerId":"echo","expected":"completed","deadlineMs":60000,"token":null,"mark":null,"intendedAtMs":1768478400000}');
INSERT INTO charges VALUES ('run-1', 1768478400000, 'echo', 1, 2, 0.5, 1);
