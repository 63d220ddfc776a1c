/** An example of Alertmanager's configuration: who is told, and what silences what. */

import { stringify } from "yaml";
import { UNWATCHED } from "./meta.ts";
import type { RuleOptions } from "./options.ts";

const ABOUT_PROBES = "PlumblineProbeDown|PlumblineProbeAbsent";
const PLACE = ["job", "service", "environment", "location"];

/** One text for each alert of a notification, with the links that on-call needs. */
const EACH = (text: string) => `{{ range .Alerts }}${text}\n{{ end }}`;

const PAGERDUTY = {
  routing_key_file: "/etc/alertmanager/pagerduty-routing-key",
  description: "{{ with index .Alerts 0 }}{{ .Annotations.summary }}{{ end }}",
  details: {
    what: EACH("{{ .Annotations.description }}"),
    runbook: EACH("{{ .Annotations.runbook_url }}"),
    status: EACH("{{ .Annotations.status_url }}"),
  },
  links: [
    {
      text: "Dashboard",
      href: "{{ with index .Alerts 0 }}{{ .Annotations.dashboard_url }}{{ end }}",
    },
  ],
};

const SLACK = {
  api_url_file: "/etc/alertmanager/slack-webhook-url",
  channel: "#plumbline",
  send_resolved: true,
  title: "[{{ .Status }}] {{ .CommonLabels.alertname }}",
  text: EACH(
    "{{ .Annotations.summary }}\n{{ .Annotations.description }}\n" +
      "<{{ .Annotations.runbook_url }}|Runbook> <{{ .Annotations.dashboard_url }}|Dashboard> " +
      "<{{ .Annotations.status_url }}|Status page>",
  ),
};

const EMAIL = {
  to: "on-call@example.com",
  from: "alertmanager@example.com",
  smarthost: "smtp.example.com:587",
  auth_username: "alertmanager@example.com",
  auth_password_file: "/etc/alertmanager/smtp-password",
  send_resolved: true,
};

const configuration = ({ page, ticket }: RuleOptions["severities"]) => ({
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
        matchers: [`severity = "${page}"`],
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
      source_matchers: [`severity = "${page}"`, 'slo != ""'],
      target_matchers: [`severity = "${ticket}"`, 'slo != ""'],
      equal: [...PLACE, "slo"],
    },
    {
      // No budget: that burns for half an hour longer, and would page when the outage is over.
      source_matchers: ['alertname = "PlumblineCanaryFailing"'],
      target_matchers: ['alertname =~ "PlumblineCanaryFlapping|PlumblineJobsStuck"'],
      equal: PLACE,
    },
    {
      // Each says why there are no verdicts.
      source_matchers: [
        `severity = "${page}"`,
        'alertname =~ "PlumblineKeyRejected|PlumblineRateLimitedWithinPlan"',
      ],
      target_matchers: ['alertname = "PlumblineProbeBlind"'],
      equal: PLACE,
    },
    {
      source_matchers: [`severity = "${page}"`, 'alertname = "PlumblineCanarySuccessBurn"'],
      target_matchers: ['alertname = "PlumblineCanaryFlapping"'],
      equal: PLACE,
    },
  ],
  receivers: [
    { name: "pager", pagerduty_configs: [PAGERDUTY], slack_configs: [SLACK] },
    { name: "tickets", slack_configs: [SLACK], email_configs: [EMAIL] },
    {
      name: "dead-man",
      webhook_configs: [{ url: "https://dead-man.example.com/plumbline", send_resolved: false }],
    },
  ],
});

const HEADER = `# An example for Alertmanager: keep the receivers that you use, with your
# own addresses. Secrets are in files that only Alertmanager can read.
# A location without a living probe is silenced but for that; a page silences the tickets on the
# same budget. "dead-man" must be a service that raises the alarm when it is not called.
`;

export function alertmanagerExample({ severities }: RuleOptions): string {
  const text = stringify(configuration(severities), { lineWidth: 0, aliasDuplicateObjects: false });
  return `${HEADER}${text}`;
}
