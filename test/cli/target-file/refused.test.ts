/** Every way to get a target file wrong, with its place. */

import { describe, expect, it } from "vitest";
import { ENVIRONMENT, HEALTHY, problemsOf } from "./texts.ts";

interface Row {
  title: string;
  text: string;
  says: RegExp;
  environment?: Record<string, string>;
}

const keys = (...lines: string[]) =>
  ["target: { baseUrl: 'http://x' }", "keys:", ...lines.map((line) => `  - ${line}`)].join("\n");

const keysSigned = (own: string, signature: string) =>
  `${keys(`{ name: a, env: KEY_A, ${own} }`, "{ name: b, env: KEY_B }")}
webhook: { signature: ${signature} }`;

/** Each line repeats the one above it five times: seven lines are some ten thousand values. */
const ALIAS_BOMB = ["a: &a [1]"]
  .concat([..."bcdefg"].map((name, at) => `${name}: &${name} [${`*${"abcdef"[at]},`.repeat(5)}]`))
  .join("\n");

const ROWS: readonly Row[] = [
  { title: "no YAML", text: "target: {", says: /^t\.yaml:1:\d+: no valid YAML: / },
  {
    title: "a name given twice",
    text: "target: {}\ntarget: {}",
    says: /t\.yaml:2:1: no valid YAML/,
  },
  { title: "an empty file", text: "", says: /^t\.yaml:1:1: expected a mapping of target, keys/ },
  {
    title: "two documents",
    text: `${HEALTHY}---\na: 1`,
    says: /more than one document; expected one$/,
  },
  { title: "a list", text: "- a", says: /expected a mapping of target, .*, got a list/ },
  {
    title: "no target",
    text: keys("{ name: a, env: KEY_A }").slice(31),
    says: /target: is missing/,
  },
  {
    title: "an unknown section, at its place",
    text: `${HEALTHY}bugdet: { jobs: 1 }`,
    says: /^t\.yaml:5:1: unknown name "bugdet" \(did you mean "budget"\?\); expected one of: /,
  },
  {
    title: "an unknown name inside a section",
    text: `${HEALTHY}budget: { job: 1 }`,
    says: /^t\.yaml:5:11: budget: unknown name "job" \(did you mean "jobs"\?\)/,
  },
  {
    title: "an unknown plan",
    text: keys("{ name: a, plan: gold, env: KEY_A }"),
    says: /^t\.yaml:3:22: .*: unknown plan "gold"; expected one of: free, pro, enterprise$/,
  },
  {
    title: "an enterprise key without its limits",
    text: keys("{ name: a, plan: enterprise, sustained: 5, env: KEY_A }"),
    says: /keys\[0\]: plan enterprise is custom; expected burst beside it/,
  },
  {
    title: "limits of its own on a free key",
    text: keys("{ name: a, plan: free, sustained: 5, env: KEY_A }"),
    says: /keys\[0\]\.sustained: plan free takes no sustained/,
  },
  {
    title: "a variable that is not set, with its name and key",
    text: keys("{ name: a, plan: free, env: KEY_C }"),
    says: /environment variable KEY_C is not set; expected the value of the key "a"/,
  },
  {
    title: "a key that looks like a variable's name, which is not repeated",
    text: keys("{ name: a, plan: free, env: secret_c32ec9a1 }"),
    says: /keys\[0\]\.env: names no environment variable with a value; expected the one with/,
  },
  {
    title: "a variable that is empty",
    text: keys("{ name: a, env: KEY_C }"),
    environment: { KEY_C: "" },
    says: /environment variable KEY_C is empty/,
  },
  {
    title: "a key that no header can carry",
    text: keys("{ name: a, env: KEY_C }"),
    environment: { KEY_C: "secret-c\n" },
    says: /environment variable KEY_C holds a space, a line break/,
  },
  {
    title: "a key's name used twice",
    text: keys("{ name: a, env: KEY_A }", "{ name: a, env: KEY_B }"),
    says: /t\.yaml:4:13: keys\[1\]\.name: "a" is that of keys\[0\] already/,
  },
  {
    title: "one key under two names",
    text: keys("{ name: a, env: KEY_A }", "{ name: b, env: KEY_B }"),
    environment: { KEY_A: "secret-same", KEY_B: "secret-same" },
    says: /keys\[1\]\.env: KEY_B has the same value as KEY_A; expected a key of its own/,
  },
  {
    title: "no active key",
    text: keys("{ name: a, state: revoked, env: KEY_A }"),
    says: /keys: no key is active; expected at least one/,
  },
  { title: "no keys", text: "target: { baseUrl: 'http://x' }\nkeys: []", says: /keys: is empty/ },
  {
    title: "an address that is none",
    text: HEALTHY.replace("https://api.example.com/base/", "api.example.com"),
    says: /target\.baseUrl: "api\.example\.com" is no URL of http or https/,
  },
  {
    title: "an address of another protocol",
    text: HEALTHY.replace("https:", "ftp:"),
    says: /is no URL of http or https/,
  },
  {
    title: "an address with a password, which is not repeated",
    text: HEALTHY.replace("https://", "https://user:secret-pw@"),
    says: /target\.baseUrl: carries a user name or password/,
  },
  {
    title: "an address with a query, which is not repeated",
    text: HEALTHY.replace("/base/", "/?key=secret-q"),
    says: /target\.baseUrl: carries a query or fragment/,
  },
  ...[0, -1, 1.5].map((scale) => ({
    title: `a time scale of ${scale}`,
    text: `target: { baseUrl: 'http://x', timeScale: ${scale} }\nkeys: [ { name: a, env: KEY_A } ]`,
    says: new RegExp(`target\\.timeScale: ${scale} is out of range; expected a number above 0`),
  })),
  {
    title: "a key in the place of its variable, which is not repeated",
    text: keys('{ name: a, env: "secret-live-1" }'),
    says: /keys\[0\]\.env: is not the name of an environment variable/,
  },
  {
    title: "keys given as texts, which are not repeated",
    text: keys("secret-live-2"),
    says: /keys\[0\]: expected a mapping of name, .*, got a text/,
  },
  {
    title: "an unknown part",
    text: `${HEALTHY}workers: { sucess: { id: x } }`,
    says: /workers: unknown name "sucess" \(did you mean "success"\?\)/,
  },
  {
    title: "an input that is no mapping",
    text: `${HEALTHY}workers: { success: { id: x, input: [1] } }`,
    says: /workers\.success\.input: expected a mapping, the worker's input, got a list/,
  },
  {
    title: "a method that is none",
    text: `${HEALTHY}cancel: { method: GET }`,
    says: /cancel\.method: unknown method "GET"; expected one of: DELETE, POST, PATCH, PUT, auto/,
  },
  {
    title: "a body beside method auto",
    text: `${HEALTHY}cancel: { method: auto, body: {} }`,
    says: /cancel\.body: method auto explores by itself; expected no body/,
  },
  {
    title: "a duration without unit",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: "60" }`,
    says: /load\.duration: "60" is not a duration such as 500ms, 2s, 5m or 1h/,
  },
  {
    title: "a load that takes no time",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 0s }`,
    says: /load\.duration: 0 is out of range; expected more than 0/,
  },
  {
    title: "a throughput beyond what is offered",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 60s, objectives: { throughput: "200%" } }`,
    says: /load\.objectives\.throughput: "200%" is more than all; expected "100%" at the most/,
  },
  {
    title: "a key of the load that there is not",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 60s, keys: [nobody] }`,
    says: /load\.keys\[0\]: "nobody" is not an active key; expected one of: /,
  },
  {
    title: "a key of the load that is named twice",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 60s, keys: [a, a] }`,
    says: /load\.keys\[1\]: "a" is named twice/,
  },
  {
    title: "a load without keys",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 60s, keys: [] }`,
    says: /load\.keys: is empty; expected the name of an active key/,
  },
  {
    title: "a load beyond its plan by some other word",
    text: `${HEALTHY}load: { jobsPerSecond: 1, duration: 60s, beyondPlan: maybe }`,
    says: /load\.beyondPlan: expected true or false/,
  },
  {
    title: "a tolerance of the wrong kind",
    text: `${HEALTHY}tolerances: { webhookWaitEarlyMs: soon, sustainedShare: 5 }`,
    says: /tolerances\.webhookWaitEarlyMs: expected a duration/,
  },
  {
    title: "a negative budget",
    text: `${HEALTHY}budget: { jobs: -1 }`,
    says: /budget\.jobs: -1 is not a whole number of jobs, 0 or more/,
  },
  {
    title: "a budget of half a job",
    text: `${HEALTHY}budget: { jobs: 2.5 }`,
    says: /budget\.jobs: expected a whole number of jobs, 0 or more, got the number 2\.5/,
  },
  {
    title: "a canary of a part that nobody plays",
    text: `${HEALTHY}canaries: [ { name: one, part: slow, every: 30s } ]`,
    says: /canaries\[0\]\.part: no worker plays "slow"; expected workers\.slow/,
  },
  ...["every: 0s", "every: 30s, deadline: 0ms"].map((times) => ({
    title: `a canary that is ${times}`,
    text: `${HEALTHY}canaries: [ { name: one, part: success, ${times} } ]`,
    says: /canaries\[0\]\.(every|deadline): 0 is out of range; expected more than 0/,
  })),
  {
    title: "a probe's share of the plan that leaves it no request",
    text: `${HEALTHY}probe: { rateShare: 0 }`,
    says: /probe\.rateShare: 0 is out of range; expected more than 0/,
  },
  {
    title: "more polls of a job than can be placed",
    text: `${HEALTHY}probe: { requestsPerJob: 1001 }`,
    says: /probe\.requestsPerJob: 1001 is too many; expected 1000 or fewer/,
  },
  {
    title: "a form of metrics that is neither",
    text: `${HEALTHY}probe: { metrics: { legacy: 1 } }`,
    says: /probe\.metrics\.legacy: expected true or false/,
  },
  {
    title: "a key of the owner that there is not",
    text: `${HEALTHY}publish: { worker: mine, key: old }`,
    says: /publish\.key: "old" is not an active key; expected one of: /,
  },
  {
    title: "a key of the probe that there is not",
    text: `${HEALTHY}probe: { key: nobody }`,
    says: /probe\.key: "nobody" is not an active key; expected one of: /,
  },
  {
    title: "a service level that there is not",
    text: `${HEALTHY}slo: [ { name: canary-sucess, objective: 99 } ]`,
    says: /slo\[0\]\.name: unknown service level "canary-sucess"; expected one of: canary-success/,
  },
  {
    title: "a canary to be cancelled without a request that cancels",
    text: `${HEALTHY}canaries: [ { name: one, part: success, every: 30s, expect: cancelled } ]`,
    says: /canaries\[0\]\.expect: needs a request that cancels; expected cancel\.method/,
  },
  {
    title: "a webhook secret that is not set",
    text: `${HEALTHY}webhook: { signature: { secretEnv: NO_HOOK } }`,
    says: /webhook\.signature\.secretEnv: environment variable NO_HOOK is not set/,
  },
  {
    title: "a key's webhook secret that is not set",
    text: keysSigned("webhookSecretEnv: NO_HOOK", "{ scheme: hmac-sha256 }"),
    says: /keys\[0\]\.webhookSecretEnv: environment variable NO_HOOK is not set; .* key "a"$/,
  },
  {
    title: "a key's webhook secret that no scheme signs with",
    text: keysSigned("webhookSecretEnv: HOOK", "{ secretEnv: HOOK }"),
    says: /keys\[0\]\.webhookSecretEnv: no scheme says what it signs; expected webhook\.sig/,
  },
  {
    title: "an active key without a webhook secret beside one that has its own",
    text: keysSigned("webhookSecretEnv: HOOK", "{ scheme: hmac-sha256 }"),
    says: /^t\.yaml:4:\d+: keys\[1\]: has no webhook secret, as others have; expected webhookSec/,
  },
  {
    title: "a key's webhook secret that is no name of a variable, which is not repeated",
    text: keysSigned("webhookSecretEnv: 'whsec_b3R='", "{ scheme: hmac-sha256 }"),
    says: /^(?!.*whsec_).*webhookSecretEnv: is not the name of an environment variable/,
  },
  {
    title: "a signature's header with a space in its name",
    text: `${HEALTHY}webhook: { signature: { header: X Sig } }`,
    says: /signature\.header: "X Sig" is not the name of a header, such as X-Service-Signature$/,
  },
  {
    title: "an empty name of a variable, told once",
    text: `${HEALTHY}webhook: { signature: { secretEnv: "" } }`,
    says: /^[^\n]*secretEnv: is empty; expected the name of an environment variable$(?!\n)/,
  },
  {
    title: "webhook secrets of which one is malformed",
    text: `${HEALTHY}webhook: { signature: { scheme: standard-webhooks, secretEnv: HOOK } }`,
    environment: { HOOK: "whsec_b3RoZXI= whsec_no*base64" },
    says: /secretEnv: environment variable HOOK holds no base64 after "whsec_"/,
  },
  {
    title: "a webhook secret that is no Standard Webhooks key, which is not repeated",
    text: `${HEALTHY}webhook: { signature: { scheme: standard-webhooks, secretEnv: HOOK } }`,
    environment: { ...ENVIRONMENT, HOOK: "whsec_n0base64!" },
    says: /secretEnv: environment variable HOOK holds no base64 after "whsec_"; expected/,
  },
  {
    title: "an alias bomb",
    text: ALIAS_BOMB,
    says: /no valid YAML: Excessive alias count/,
  },
];

describe("a target file is refused for", () => {
  it.each(ROWS)("$title", ({ text, says, environment }) => {
    const problems = problemsOf(text, { ...ENVIRONMENT, ...environment });
    expect(problems.join("\n")).toMatch(new RegExp(says.source, "m"));
    expect(problems.join("\n")).not.toMatch(/secret[-_][a-z0-9]/);
  });

  it("all its problems at once, in the order of the file", () => {
    const problems = problemsOf(
      `${keys("{ name: a, plan: gold, env: KEY_C, extra: 1 }", "{ plan: pro }")}\nload: { mix: 3 }`,
    );
    const places = problems.map((problem) => problem.split(":").slice(1, 3).map(Number));
    expect(problems.length).toBeGreaterThanOrEqual(7);
    expect(places).toEqual(
      [...places].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)),
    );
  });
});
