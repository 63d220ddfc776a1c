/** `plumbline dashboards`: what is built is current, what was changed is not, exports are whole. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const LINKS = ["--grafana", "https://grafana.lan/", "--runbooks", "https://wiki.lan/rb"];

it("builds what it then finds current, with the options in the files", async () => {
  await using folder = await temporaryFolder();
  const options = [...LINKS, "--job", "probes", "--latency", "webhook-delay=95@36"];
  const built = await runCli(["dashboards", "build", folder.path, ...options]);
  expect(built).toMatchObject({ exitCode: 0, stderr: "" });
  const rules = await readFile(join(folder.path, "plumbline-rules.yaml"), "utf8");
  expect(rules).toContain("runbook_url: https://wiki.lan/rb/PlumblineProbeDown.md");
  expect(rules).toContain("dashboard_url: https://grafana.lan/d/plumbline-probe");
  expect(rules).toContain('up{job="probes"}');
  expect(rules).toContain('plumbline_webhook_delay_seconds_bucket{le=~"36([.]0)?"}');
  expect(await runHere(["dashboards", "check", folder.path, ...options])).toMatchObject({
    exitCode: 0,
  });
  expect(await runHere(["dashboards", "check", folder.path])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/: all \d+ files are what these options give\n$/),
  });
  await runHere(["dashboards", "export", folder.path]);
  const exported = await readFile(join(folder.path, "kubernetes/prometheus-rule.yaml"), "utf8");
  expect(exported).toContain("runbook_url: https://wiki.lan/rb/PlumblineProbeDown.md");
  const otherwise = await runHere(["dashboards", "check", folder.path, "--job", "others"]);
  expect(otherwise.exitCode).toBe(104);
  expect(otherwise.stderr).toMatch(/plumbline-rules.yaml is not what these options give; expected/);
});

it("exports with other options beside boards that stay current", async () => {
  await using folder = await temporaryFolder();
  const exported = () => readFile(join(folder.path, "kubernetes/prometheus-rule.yaml"), "utf8");
  await runHere(["dashboards", "build", folder.path, ...LINKS]);
  await runHere(["dashboards", "export", folder.path, "--job", "probes"]);
  expect(await exported()).toContain('up{job="probes"}');
  expect(await exported()).toContain("https://wiki.lan/rb/");
  expect(await runHere(["dashboards", "check", folder.path])).toMatchObject({ exitCode: 0 });
});

it("remembers what a folder was exported with", async () => {
  await using folder = await temporaryFolder();
  const exported = () => readFile(join(folder.path, "kubernetes/prometheus-rule.yaml"), "utf8");
  await runHere(["dashboards", "export", folder.path, "--job", "probes"]);
  await runHere(["dashboards", "export", folder.path]);
  expect(await exported()).toContain('up{job="probes"}');
});

it("builds again with the options of the folder, says so, and forgets them when told", async () => {
  await using folder = await temporaryFolder();
  const rules = () => readFile(join(folder.path, "plumbline-rules.yaml"), "utf8");
  await runHere(["dashboards", "build", folder.path, ...LINKS, "--job", "probes"]);
  const again = await runHere(["dashboards", "build", folder.path, "--job", "others"]);
  expect(again.stderr).toMatch(/^with the options of .*plumbline.options as well; --reset drops/);
  expect(await rules()).toContain("https://wiki.lan/rb/");
  expect(await rules()).toContain('up{job="others"}');
  expect(await runHere(["dashboards", "check", folder.path])).toMatchObject({ exitCode: 0 });
  const reset = await runHere(["dashboards", "build", folder.path, "--reset"]);
  expect(reset).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await rules()).not.toContain("https://wiki.lan/rb/");
  expect(await runHere(["dashboards", "check", folder.path])).toMatchObject({ exitCode: 0 });
});

it.each([
  ["https://grafana.example.com", true],
  ["https://a.test", true],
  ["http://x.invalid:3000/g", true],
  ["https://grafana.contest", false],
  ["https://myexample.com", false],
])("refuses links to hosts that are reserved for examples: %s", async (url, isReserved) => {
  await using folder = await temporaryFolder();
  const { exitCode, stderr } = await runHere([
    "dashboards",
    "build",
    folder.path,
    "--grafana",
    url,
  ]);
  expect(exitCode).toBe(isReserved ? 104 : 0);
  expect(stderr).toBe(
    isReserved
      ? `error (invalid-option): --grafana: "${url}" is an address for examples, to which no ` +
          "link leads; expected the address that on-call users open\n"
      : "",
  );
  expect((await readdir(folder.path)).length > 0).toBe(!isReserved);
});

it("leaves no JSON but boards, as Grafana takes every .json file of a folder for one", async () => {
  await using folder = await temporaryFolder();
  await runHere(["dashboards", "build", folder.path, "--job", "probes"]);
  const names = (await readdir(folder.path)).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder.path, name), "utf8")));
  const titles = texts.map((text) => (JSON.parse(text) as { title?: string }).title);
  expect(titles).toHaveLength(6);
  expect(titles.filter((title) => !title?.startsWith("Plumbline / "))).toEqual([]);
});

it("puts labels, severities and the status page of the options in", async () => {
  await using folder = await temporaryFolder();
  const own = ["--alert-label", "team=jobs", "--severity", "page=critical"];
  const one = ["--severity", "PlumblineProbeAbsent=ticket", "--severity", "ticket=warning"];
  const status = ["--status", "https://probe-LOCATION.lan/"];
  const built = await runHere(["dashboards", "build", folder.path, ...own, ...one, ...status]);
  expect(built).toMatchObject({ exitCode: 0, stderr: "" });
  const read = (name: string) => readFile(join(folder.path, name), "utf8");
  const { groups } = parse(await read("plumbline-rules.yaml")) as {
    groups: {
      rules: {
        alert?: string;
        labels: Record<string, string>;
        annotations: Record<string, string>;
      }[];
    }[];
  };
  const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));
  const named = (name: string) => alerts.find(({ alert }) => alert === name);
  expect(alerts.filter(({ labels }) => labels.team !== "jobs")).toEqual([]);
  expect(named("PlumblineCanaryFailing")).toMatchObject({
    labels: { severity: "critical" },
    annotations: {
      status_url: "https://probe-{{ $labels.location }}.lan",
      runbook_url: "https://probe-{{ $labels.location }}.lan/runbooks/PlumblineCanaryFailing.md",
    },
  });
  expect(named("PlumblineProbeAbsent")?.labels.severity).toBe("warning");
  expect(named("PlumblineWatchdog")?.labels.severity).toBe("none");
  const routes = await read("alertmanager.example.yaml");
  expect(routes).toContain('severity = "critical"');
  expect(routes).not.toContain('severity = "page"');
  const overview = await read("plumbline-overview.json");
  expect(overview).toContain('severity=~\\"critical\\"');
  expect(overview).toContain(`"https://probe-\${location}.lan"`);
});

it("refuses labels and severities that are none", async () => {
  const options = ["alertname=x", "team", "host={{ $value }}"].flatMap((text) => [
    "--alert-label",
    text,
  ]);
  const severities = ["page=", "PlumblineProbeAbsnt=page", "PlumblineProbeDown=loud"];
  const { exitCode, stderr } = await runHere([
    ...["dashboards", "build", "/nowhere", ...options],
    ...severities.flatMap((text) => ["--severity", text]),
  ]);
  expect(exitCode).toBe(104);
  expect(stderr).toContain('--alert-label: "alertname=x" would replace a label that exists');
  expect(stderr).toContain('--alert-label: "team" is not a label; expected name=value');
  expect(stderr).toContain('--alert-label: "host={{ $value }}" is a template; expected plain text');
  expect(stderr).toContain('--severity: invalid value "page="; expected page=NAME such as');
  expect(stderr).toContain('(did you mean "PlumblineProbeAbsent"?)');
  expect(stderr).toContain('--severity PlumblineProbeDown: unknown value "loud"; expected one of');
});

it("tells a board that was changed by hand", async () => {
  await using folder = await temporaryFolder();
  await runHere(["dashboards", "build", folder.path]);
  await writeFile(join(folder.path, "plumbline-jobs.json"), "{}");
  const { exitCode, stderr } = await runHere(["dashboards", "check", folder.path]);
  expect(exitCode).toBe(104);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("plumbline-jobs.json is not what these options give");
});

it("refuses folders and patterns that are none", async () => {
  await using folder = await temporaryFolder();
  const empty = await runHere(["dashboards", "check", folder.path]);
  expect(empty.exitCode).toBe(104);
  expect(empty.stderr).toMatch(
    /^error \(stale-dashboards\): .* holds none of the 9 files; exp.*\n$/,
  );
  const wrong = await runHere(["dashboards", "build", "", "--timed-canaries", "("]);
  expect(wrong.exitCode).toBe(104);
  expect(wrong.stderr).toContain('dashboards: "" is not a folder; expected the name of one');
  expect(wrong.stderr).toContain('--timed-canaries: "(" is not a pattern; expected a regular');
});

it("exports for import by hand, for the sidecar and for the operator", async () => {
  await using folder = await temporaryFolder();
  expect(await runHere(["dashboards", "export", folder.path])).toMatchObject({ exitCode: 0 });
  const read = (name: string) => readFile(join(folder.path, name), "utf8");
  const board = JSON.parse(await read("import/plumbline-overview.json")) as {
    __inputs: { name: string; pluginId: string }[];
    templating: { list: { name: string; current?: { value: string } }[] };
  };
  expect(board.__inputs).toMatchObject([{ name: "DS_PROMETHEUS", pluginId: "prometheus" }]);
  const [datasource] = board.templating.list;
  expect(datasource).toMatchObject({ name: "datasource", current: { value: `\${DS_PROMETHEUS}` } });
  const maps = parseAllDocuments(await read("kubernetes/dashboards.yaml")).map((each) =>
    each.toJS(),
  );
  expect(maps).toHaveLength(6);
  for (const { kind, metadata, data } of maps) {
    expect(kind).toBe("ConfigMap");
    expect(metadata.labels).toEqual({ grafana_dashboard: "1" });
    expect(metadata.name).toMatch(/^[a-z0-9-]+$/);
    expect(JSON.parse(data[`${metadata.name}.json`]).uid).toBe(metadata.name);
  }
  const rule = parse(await read("kubernetes/prometheus-rule.yaml")) as { spec: unknown };
  expect(rule.spec).toEqual(parse(await read("files/plumbline-rules.yaml")));
});
