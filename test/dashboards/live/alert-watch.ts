/** Follows the alerts of a Prometheus: which fire in which world, since when and until when. */

import type { LivePrometheus } from "./prometheus.ts";

/** An alert that fired: its name and, where one alert has several, what tells them apart. */
export interface Firing {
  /** Such as "PlumblineCanarySuccessBurn 1h" or "PlumblinePromiseBroken webhook.signed". */
  alert: string;
  severity: string;
  environment: string;
  /** When it was first seen firing, in milliseconds since the epoch. */
  fromMs: number;
  /** When it was first seen gone; null while it fires. */
  untilMs: number | null;
}

interface ApiAlert {
  state: string;
  labels: Record<string, string>;
}

/** Ours: a fraction of the interval of evaluation. */
const POLL_MS = 250;

export class AlertWatch {
  readonly #prometheus: LivePrometheus;
  readonly #seen: Firing[] = [];
  readonly #stop = new AbortController();
  #waiting = new Set<() => void>();
  readonly #polling: Promise<void>;

  constructor(prometheus: LivePrometheus) {
    this.#prometheus = prometheus;
    this.#polling = this.#poll();
  }

  /** Everything that has fired in a world, oldest first. */
  firings(environment: string): readonly Firing[] {
    return this.#seen.filter((each) => each.environment === environment);
  }

  /** Names of the alerts that fire now in a world. */
  firing(environment: string): readonly string[] {
    const now = this.firings(environment).filter(({ untilMs }) => untilMs === null);
    return [...new Set(now.map(({ alert }) => alert))];
  }

  /** Resolves with true as soon as it holds, with false after so long. */
  async until(holds: () => boolean, timeMs: number): Promise<boolean> {
    const endMs = Date.now() + timeMs;
    while (!holds()) {
      const restMs = endMs - Date.now();
      if (restMs <= 0 || this.#stop.signal.aborted) return false;
      await this.#nextLook(restMs);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#polling;
    for (const wake of this.#waiting) wake();
  }

  #nextLook(timeMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeMs);
      const waiting = this.#waiting;
      function done() {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      }
      waiting.add(done);
    });
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#look();
      for (const wake of [...this.#waiting]) wake();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #look(): Promise<void> {
    const answer = await this.#prometheus.get<{ alerts: ApiAlert[] }>("/api/v1/alerts");
    const nowMs = Date.now();
    const firing = answer.alerts.filter(({ state }) => state === "firing");
    const now = new Map(firing.map(({ labels }) => [JSON.stringify(labels), labels]));
    for (const each of this.#seen) {
      if (each.untilMs === null && !now.has(this.#keys.get(each) ?? "")) each.untilMs = nowMs;
    }
    const open = new Set(this.#seen.filter(({ untilMs }) => untilMs === null).map(this.#keyOf));
    for (const [key, labels] of now) if (!open.has(key)) this.#add(key, labels, nowMs);
  }

  readonly #keys = new Map<Firing, string>();
  readonly #keyOf = (firing: Firing) => this.#keys.get(firing) ?? "";

  #add(key: string, labels: Record<string, string>, nowMs: number): void {
    const { alertname = "", severity = "", environment = "" } = labels;
    const part = labels.promise ?? labels.long_window;
    const alert = part === undefined ? alertname : `${alertname} ${part}`;
    const firing: Firing = { alert, severity, environment, fromMs: nowMs, untilMs: null };
    this.#keys.set(firing, key);
    this.#seen.push(firing);
  }
}
