/** Alerts and runbooks belong together one to one, and what a runbook names is there. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { groupOf, PROMISE_IDS, PROMISES } from "../../contract/promises.ts";
import { END_STATES } from "../../contract/states.ts";
import { boardsOf } from "../../dashboards/boards/index.ts";
import { DEFAULT_RULE_OPTIONS } from "../../dashboards/rules/options.ts";
import { ALERT_GROUPS, alertsOf } from "../../dashboards/rules/rule-file.ts";
import {
  ANSWER_FAULTS,
  DELIVERY_OUTCOMES,
  JOURNAL_FAILURES,
  RESOLUTIONS,
  SKIP_REASONS,
} from "../../probe/events.ts";
import { UNSEEN_STATE } from "../../probe/metrics/catalogue.ts";
import { OUTCOMES } from "../../probe/outcome.ts";
import { ROOT } from "../../runner/package-root.ts";
import { lintQuery } from "./query-lint.ts";
import { alertExpressions } from "./rules/expressions.ts";

const DEPLOY = path.join(ROOT, "deploy");
const FOLDER = path.join(ROOT, "docs/runbooks");
const SECTIONS = [
  ...["Meaning", "Impact", "Diagnosis", "Commands", "Mitigation"],
  ...["Over when", "Whom to call", "False alarms"],
];
/** It is about Prometheus and Alertmanager; there is no probe to command. */
const WITHOUT_COMMANDS = "PlumblineWatchdog";

const ALERTS = ALERT_GROUPS.flatMap((group) => alertsOf(group, DEFAULT_RULE_OPTIONS));
const NAMES = [...new Set(ALERTS.map(({ alert }) => alert))].sort();
const RUNBOOKS = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(path.join(FOLDER, file), "utf8");
  return { name: path.basename(file, ".md"), text };
});

function runbook(wanted: string): string {
  return RUNBOOKS.find(({ name }) => name === wanted)?.text ?? "";
}

/** What a runbook may set in italics: boards, panels, rows, alerts, and pages of Prometheus. */
const ITALICS = new Set([
  ...boardsOf(DEFAULT_RULE_OPTIONS).flatMap(({ title, rows }) => [
    title.replace("Plumbline / ", ""),
    ...rows.flatMap((row) => [row.title, ...row.panels.map((panel) => panel.title)]),
  ]),
  ...NAMES,
  ...["Status, Targets", "Status, Rules", "Service discovery"],
]);

describe("runbooks", () => {
  it("are there for every alert, and for nothing else", () => {
    expect(RUNBOOKS.map(({ name }) => name).sort()).toEqual(NAMES);
  });

  it.each(RUNBOOKS)("$name says what on-call asks, in that order", ({ name, text }) => {
    expect(text.startsWith(`# ${name}\n`)).toBe(true);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const without = name === WITHOUT_COMMANDS ? "Commands" : null;
    expect(headings).toEqual(SECTIONS.filter((section) => section !== without));
  });

  it.each(RUNBOOKS)("$name has queries to paste that read what is there", ({ text }) => {
    const queries = [...text.matchAll(/^ *```promql\n([\s\S]*?)^ *```$/gm)].map(
      ([, query]) => query,
    );
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.flatMap((query) => lintQuery(query ?? ""))).toEqual([]);
  });

  it.each(RUNBOOKS)("$name names boards, panels and alerts that are there", ({ text }) => {
    const named = [
      ...text.replaceAll(/`[^`\n]*`/g, "").matchAll(/(?<![*\w])\*([^*\n]+)\*(?![*\w])/g),
    ].map(([, name]) => name ?? "");
    expect(named.filter((name) => !ITALICS.has(name))).toEqual([]);
  });
});

describe("promises in runbooks", () => {
  /** Of all promises: it links the list of them, and each row there links its section. */
  const OF_ALL = "PlumblinePromiseBroken";
  const rows = RUNBOOKS.filter(({ name }) => name !== OF_ALL).flatMap(({ name, text }) =>
    PROMISES.filter(({ id }) => text.includes(`\`${id}\``) || text.includes(`"${id}"`)).map(
      ({ id, section }) => ({ name, text, id, section }),
    ),
  );

  it("are named in some", () => {
    expect(rows.length).toBeGreaterThan(3);
  });

  it.each(rows)("$name links §$section, which makes $id, once", ({ text, section }) => {
    expect(text.split(`[§${section}](../interface.md#s${section})`)).toHaveLength(2);
  });

  it("are linked from the one that is about all of them", () => {
    expect(runbook(OF_ALL)).toContain("(../promises.md)");
  });
});

describe("what runbooks tell of labels", () => {
  const text = RUNBOOKS.map((runbook) => runbook.text).join("\n");
  const SETS = {
    outcome: OUTCOMES.filter((outcome) => outcome !== "success"),
    delivery: DELIVERY_OUTCOMES,
    fault: ANSWER_FAULTS,
    reason: SKIP_REASONS,
    what: JOURNAL_FAILURES,
    how: RESOLUTIONS,
    state: [...END_STATES, "queued", "starting", "running", UNSEEN_STATE],
  };

  it.each(Object.entries(SETS))("has every value of %s", (_, values) => {
    expect(values.filter((value) => !text.includes(`\`${value}\``))).toEqual([]);
  });

  const rows = [...runbook("PlumblinePromiseBroken").matchAll(/^\| (`.+`) \| (.+) \| (.+) \|$/gm)];
  const rowsOf = (name: string) => rows.filter(([, names = ""]) => names.includes(`\`${name}\``));

  it.each(PROMISE_IDS)("says whose %s is, and how urgent, once", (id) => {
    const own = rowsOf(id);
    const [row, ...others] = own.length > 0 ? own : rowsOf(`${groupOf(id)}.*`);
    expect(row?.[3]).toMatch(/^(now|today|this week|not from the probe)\b/);
    expect(others).toEqual([]);
  });

  it("names no promise that is not there", () => {
    const names = rows.flatMap(([, names = ""]) => [...names.matchAll(/`([^`]+)`/g)]);
    const known = new Set([...PROMISE_IDS, ...PROMISE_IDS.map((id) => `${groupOf(id)}.*`)]);
    expect(names.map(([, name = ""]) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("commands of runbooks", () => {
  const read = (file: string) => readFileSync(path.join(DEPLOY, file), "utf8");
  const rows = RUNBOOKS.filter(({ name }) => name !== WITHOUT_COMMANDS).map(({ name, text }) => {
    const [, table = ""] = /^## Commands\n\n([\s\S]+?)\n\n/m.exec(text) ?? [];
    return { name, commands: table.split("\n").slice(2) };
  });

  it.each(rows)("$name: of compose, systemd and kubectl, on what deploy/ has", ({ commands }) => {
    const [compose = "", systemd = "", kubectl = "", ...more] = commands;
    expect(more).toEqual([]);
    expect(compose).toMatch(
      /^\| compose \| (`docker compose -f deploy\/compose.yaml [^`]+ probe` \| ?)+$/,
    );
    expect(parse(read("compose.yaml"), { merge: true }).services).toHaveProperty("probe");
    expect(systemd).toMatch(
      /^\| systemd \| (`(systemctl|journalctl) [^`]*plumbline-probe[^`]*` \| ?)+$/,
    );
    expect(read("systemd/plumbline-probe.service")).toContain("plumbline");
    expect(kubectl).toMatch(/^\| kubectl \| (`kubectl [^`]+` \| ?)+$/);
    const deployment = parse(read("kubernetes/probe/deployment.yaml"));
    const example = parse(read("kubernetes/example/kustomization.yaml"));
    for (const [, name] of kubectl.matchAll(/deployment\/([\w-]+)/g)) {
      expect(name).toBe(deployment.metadata.name);
    }
    for (const [, name] of kubectl.matchAll(/-n ([\w-]+)/g)) expect(name).toBe(example.namespace);
  });
});

describe("alerts", () => {
  it.each(ALERTS)("$alert ($severity) tells numbers and has a severity", (alert) => {
    expect(alert.severity).toMatch(
      alert.alert === "PlumblineWatchdog" ? /^none$/ : /^(page|ticket)$/,
    );
    expect(alert.description).toMatch(/\{\{ \$value|\d/);
    // All branches of a template together: nobody reads more than that.
    const words = alert.summary.replaceAll(/\{\{ (if|else|end)[^}]*\}\}/g, "");
    expect(words.length).toBeLessThan(140);
  });

  it("read what is there, and nothing else", () => {
    expect(alertExpressions().flatMap(lintQuery)).toEqual([]);
  });
});
