/** A case of the live test: a fault that comes and goes, and the alerts that it is to raise. */

/** A fault in a world that is open. */
export interface OpenFault {
  /** host:port to scrape from the start. */
  address: string;
  /** Whether its probe is part of this process, and stands still where that does. */
  isShared: boolean;
  /** Resolves when the fault is there. */
  begin(): Promise<void>;
  /** Resolves when it is gone. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export interface FaultCase {
  /** Label `environment` of its world. */
  id: string;
  /** What is wrong, for the table. */
  fault: string;
  /** Alerts that it is to raise, each with the time that it may take at life's pace. */
  raises: readonly { alert: string; withinSeconds: number }[];
  /** Alerts that may come with it, as they follow from the same events if those last. */
  mayRaise?: readonly string[];
  /** How long the fault stays at least, at life's pace. */
  lastsSeconds?: number;
  /** How long the alerts may stay after the fault, at life's pace. */
  clearsSeconds: number;
  /** Opens its world in a folder of its own. `show` tells Prometheus what to scrape, or nothing. */
  open(folder: string, show: (address: string | null) => Promise<void>): Promise<OpenFault>;
}
