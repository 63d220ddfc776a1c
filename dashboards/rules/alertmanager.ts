/** An example of Alertmanager's configuration: who is told, and what silences what. */

import { stringify } from "yaml";
import { UNWATCHED } from "./meta.ts";

const ABOUT_PROBES = "PlumblineProbeDown|PlumblineProbeAbsent";
const PLACE = ["job", "environment", "location"];

const CONFIGURATION = {
  route: {
    receiver: "tickets",
    group_by: ["alertname", ...PLACE],
    group_wait: "30s",
    group_interval: "5m",
    repeat_interval: "12h",
    routes: [
      {
        receiver: "dead-man",
        matchers: ['alertname = "PlumblineWatchdog"'],
        group_wait: "0s",
        group_interval: "1m",
        repeat_interval: "5m",
      },
      {
        receiver: "pager",
        matchers: ['severity = "page"'],
        group_wait: "10s",
        repeat_interval: "1h",
      },
    ],
  },
  inhibit_rules: [
    {
      source_matchers: [`alertname =~ "${ABOUT_PROBES}"`, `place = "${UNWATCHED.place}"`],
      target_matchers: [
        'alertname =~ "Plumbline.+"',
        `alertname !~ "${ABOUT_PROBES}|PlumblineWatchdog"`,
      ],
      equal: PLACE,
    },
    {
      source_matchers: ['severity = "page"', 'slo != ""'],
      target_matchers: ['severity = "ticket"', 'slo != ""'],
      equal: [...PLACE, "slo"],
    },
    {
      source_matchers: ['alertname = "PlumblineCanaryFailing"'],
      target_matchers: ['alertname =~ "PlumblineCanarySuccessBurn|PlumblineJobsStuck"'],
      equal: PLACE,
    },
  ],
  receivers: [
    { name: "pager", webhook_configs: [{ url: "https://pager.example.com/plumbline" }] },
    { name: "tickets", webhook_configs: [{ url: "https://tickets.example.com/plumbline" }] },
    {
      name: "dead-man",
      webhook_configs: [{ url: "https://dead-man.example.com/plumbline", send_resolved: false }],
    },
  ],
};

const HEADER = `# An example for Alertmanager: put your own receivers in.
# A place without a living probe is silenced but for that; a page silences the tickets on the same
# budget. The receiver "dead-man" must be a service that raises the alarm when it is not called.
`;

export function alertmanagerExample(): string {
  return `${HEADER}${stringify(CONFIGURATION, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
