/** What a rule is, before it becomes YAML. */

/** `none`: told to nobody, as it speaks by its absence. */
export const SEVERITIES = ["page", "ticket", "none"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Readonly<Record<string, string>>;
}

/** An alert for a person; links to runbook and board are added when the file is made. */
export interface AlertRule {
  alert: string;
  severity: Severity;
  expr: string;
  /** How long it must hold, in seconds. */
  forSeconds: number;
  /** How long it stays after it no longer holds, in seconds; 0 where not told. */
  keepSeconds?: number;
  /** When it fires, for the list in the documents. */
  when: string;
  /** What goes on and the measured figure, in a line; service and place are put before it. */
  summary: string;
  /** What was measured, and against what. */
  description: string;
  /** The board to open first. */
  board: BoardId;
  labels?: Readonly<Record<string, string>>;
}

type Told = Omit<AlertRule, "alert" | "severity" | "forSeconds"> & { forSeconds?: number };

const alerting =
  (severity: Severity) =>
  (alert: string, told: Told): AlertRule => ({ alert, severity, forSeconds: 0, ...told });

/** An alert that wakes somebody; it fires at once unless told otherwise. */
export const page = alerting("page");
/** An alert for working hours; likewise. */
export const ticket = alerting("ticket");

export type BoardId = "overview" | "jobs" | "webhooks" | "api" | "probe" | "load";

/** In an address it stands for the location of the probe that is meant. */
export const LOCATION = "LOCATION";

/** Grafana's stable name of a board. */
export function boardUid(board: BoardId): string {
  return `plumbline-${board}`;
}
