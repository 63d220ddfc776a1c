/** Several locations: a majority pages by the example rule, and the silence mutes what it says. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import { ALERT_GROUPS, alertsOf } from "../../dashboards/rules/rule-file.ts";
import { ROOT } from "../../runner/package-root.ts";
import { promtool } from "../dashboards/promtool.ts";
import { TOOL_MS } from "../go-tool.ts";

const FILE = path.join(ROOT, "deploy/many-locations.rules.yaml");
const DOCUMENT = path.join(ROOT, "docs/many-locations.md");
const MAJORITY = "PlumblineCanaryFailingInMostLocations";
const LOCATIONS = ["eu-1", "us-1", "ap-1"];
const labels = (location: string) => `job="plumbline",location="${location}",canary="main"`;

/** Three locations watch; in some of them, or in two probes of one, the canary fails. */
function failing(name: string, where: readonly string[], expected: readonly object[]) {
  const probes = LOCATIONS.map((each) => ({
    series: `plumbline_canary_last_run_success{${labels(each)}}`,
    values: "0x10",
  }));
  const firing = 'alertname="PlumblineCanaryFailing",alertstate="firing"';
  const alerts = where.map((each, at) => ({
    series: `ALERTS{${firing},severity="s${at}",${labels(each)}}`,
    values: "1x10",
  }));
  return {
    name,
    interval: "1m",
    input_series: [...probes, ...alerts],
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${MAJORITY}",alertstate="firing"})`,
        eval_time: "5m",
        exp_samples: expected,
      },
    ],
  };
}

it(
  "pages when a canary fails in most locations, and not for one",
  async () => {
    const tests = [
      failing("two of three", ["eu-1", "us-1"], [{ labels: "{}", value: 1 }]),
      failing("one of three", ["eu-1"], []),
      failing("one of three, by two alerts", ["eu-1", "eu-1"], []),
    ];
    const files = {
      "rules.yaml": await readFile(FILE, "utf8"),
      "test.yaml": stringify({ rule_files: ["rules.yaml"], evaluation_interval: "1m", tests }),
    };
    expect(await promtool(["check", "rules", "--lint=all", "rules.yaml"], files)).toMatchObject({
      exitCode: 0,
    });
    expect(await promtool(["test", "rules", "test.yaml"], files)).toMatchObject({ exitCode: 0 });
  },
  TOOL_MS,
);

it("the silence for maintenance mutes alerts on the service, and none on the probe", async () => {
  const document = await readFile(DOCUMENT, "utf8");
  const [, wanted = ""] = /'alertname=~"([^"]+)"'/.exec(document) ?? [];
  const [, unwanted = ""] = /'alertname!~"([^"]+)"'/.exec(document) ?? [];
  // Alertmanager's expressions are of whole values.
  const [muted, spared] = [wanted, unwanted].map((each) => new RegExp(`^(?:${each})$`));
  const isMuted = (name: string) => muted?.test(name) && !spared?.test(name);
  const names = (group: (typeof ALERT_GROUPS)[number]) =>
    alertsOf(group, DEFAULT_RULE_OPTIONS).map(({ alert }) => alert);
  const onService = ALERT_GROUPS.filter((group) => group !== "probe").flatMap(names);
  expect([MAJORITY, ...onService].filter((name) => !isMuted(name))).toEqual([]);
  expect(names("probe").filter(isMuted)).toEqual([]);
});
