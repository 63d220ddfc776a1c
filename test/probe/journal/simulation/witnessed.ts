/** What the metrics and the disk have seen of a history, whatever the journal says. */

export interface Witnessed {
  /** How often the verdict of a run was reported. */
  settled: Map<string, number>;
  /** Identifiers that were on disk, by run. */
  acknowledged: Map<string, string>;
  diskWasFull: boolean;
}
