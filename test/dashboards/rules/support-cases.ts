/** Rule tests of the alerts on what the watch needs: its journal, its receiver, its target file. */

import { at, during } from "./healthy.ts";
import type { RuleCase } from "./rule-case.ts";

const journalFailures = at("plumbline_journal_failures_total", 'what="write"');
const listening = at("plumbline_webhook_receiver_listening");
const reloaded = at("plumbline_config_last_reload_success");

export const SUPPORT_CASES: readonly RuleCase[] = [
  {
    alert: "PlumblineJournalFailing",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "a write that failed",
      series: { [journalFailures]: (minute) => (minute >= 10 ? 1 : 0) },
      minutes: { silent: 9, firing: 11, silentAgain: 26 },
    },
    nearMiss: {
      title: "failures of an earlier process",
      series: { [journalFailures]: (minute) => (minute < 10 ? 2 : 0) },
      until: 30,
    },
  },
  {
    alert: "PlumblineReceiverLost",
    severity: "ticket",
    everySeconds: 300,
    fires: {
      title: "a receiver that listened and no longer does, for hours",
      series: { [listening]: during(10, 400, 0, 1) },
      minutes: { silent: 10, firing: 390, silentAgain: 400 },
    },
    nearMiss: {
      title: "a receiver that could never be reached",
      series: { [listening]: () => 0 },
      until: 20,
    },
  },
  {
    alert: "PlumblineConfigStale",
    severity: "ticket",
    fires: {
      title: "a target file that was refused",
      series: { [reloaded]: during(10, 20, 0, 1) },
      minutes: { silent: 14, firing: 16, silentAgain: 20.5 },
    },
    nearMiss: {
      title: "one that was put right within five minutes",
      series: { [reloaded]: during(10, 14.5, 0, 1) },
      until: 25,
    },
  },
];
