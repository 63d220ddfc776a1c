/** `plumbline explain`: promises, alerts and sections by the names that people have at hand. */

import { expect, it } from "vitest";

import { explainedAlert } from "../../cli/explain/alert.ts";
import { explainedSection } from "../../cli/explain/section.ts";
import { PROMISES } from "../../contract/promises.ts";
import { ALERT_NAMES } from "../../dashboards/rules/rule-file.ts";
import { runCli } from "./run-cli.ts";
import { runHere } from "./run-here.ts";

it.each(ALERT_NAMES)("says what %s means", (alert) => {
  const { rules, meaning, impact, board } = explainedAlert(alert);
  expect(rules.length).toBeGreaterThan(0);
  expect(`${meaning} ${impact}`).toMatch(/^[A-Z`][^|\n]{20,}\. [A-Z][^|\n]{5,}\.$/);
  expect(board).not.toBe("");
});

const SECTIONS = [...new Set(PROMISES.map(({ section }) => section))];

it.each(SECTIONS)("finds section %s of the interface, and its promises", (section) => {
  const found = explainedSection(section);
  expect(found?.title).toMatch(/^[A-Z]/);
  const own = PROMISES.filter((each) => each.section === section).map(({ id }) => id);
  expect(found?.promises.map(({ id }) => id)).toEqual(expect.arrayContaining(own));
});

it.each([
  [
    "PlumblinePromiseBroken",
    /^PlumblinePromiseBroken +an alert\n +severity +ticket, .* promise .*\n +page, /,
  ],
  ["promisebroken", /runbook +docs.runbooks.PlumblinePromiseBroken.md\n +http:/],
  ["CanarySuccessBurn", /severity +page, at once: 14.4 .*\n +page, after 2 min: 6 times/],
  [
    "§4",
    /^§4 Endpoints\n +text +docs.interface.md#s4\n(?:.*\n)* +job.unknown +§4.4 An unknown job/,
  ],
  ["s4.3", /^§4.3 Submit a job\n/],
  ["webhook.wait-2", /^webhook.wait-2 +§6 /],
])("knows %s", async (name, says) => {
  const { exitCode, stdout } = await runHere(["explain", name]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(says);
});

it.each([
  ["PromisBroken", '"PromiseBroken"'],
  ["PlumblineJobStuck", '"PlumblineJobsStuck"'],
  ["webhok.once", '"webhook.once"'],
])("suggests the nearest name: %s", async (name, near) => {
  const { exitCode, stderr } = await runHere(["explain", name]);
  expect(exitCode).toBe(104);
  expect(stderr).toContain(`unknown name "${name}" (did you mean ${near}?); expected an id of`);
});

it("says that the interface has no such section", async () => {
  const { stderr } = await runHere(["explain", "§12"]);
  expect(stderr).toContain('unknown name "§12"; expected');
});

it("leaves what is pasted in one line on a narrow screen", async () => {
  const environment = { COLUMNS: "50" };
  const { stdout } = await runCli(["explain", "webhook.wait-2"], { environment });
  const [, ...lines] = stdout.split("\n");
  const command = /^ +see it broken +plumbline gate --only webhook.wait-2 --fault webhook\S+$/;
  expect(lines.filter((line) => command.test(line))).toHaveLength(1);
  const pasted = /plumbline|[{}]/;
  expect(lines.filter((line) => line.length > 50 && !pasted.test(line))).toEqual([]);
});
