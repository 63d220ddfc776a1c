/** A job's result is that of its own input, told by the mark in it. */

import { describe, expect, it } from "vitest";
import { longReturned, longText, MARK_TAIL } from "../../../../contract/jobs/marks.ts";
import { judgeJobs } from "../../../../contract/judges/job.ts";
import type { Variant } from "../../../../contract/states.ts";
import { findingOf } from "../../findings.ts";
import { INPUT_MARK, run } from "./fixtures.ts";

const OTHER_MARK = "plumbline-fedcba9876543210";

function judged(variant: Variant, mark: string) {
  const edit = (body: object) => {
    return JSON.parse(JSON.stringify(body).replaceAll(INPUT_MARK, mark)) as typeof body;
  };
  return findingOf(judgeJobs(run({ variant, edit })), "job.own-result");
}

describe.each(["A", "B"] as const)("job.own-result in variant %s", (variant) => {
  it("is kept where the mark of the input comes back", () => {
    expect(judged(variant, INPUT_MARK)).toMatchObject({
      verdict: "kept",
      strength: {
        looks: [
          { of: "jobs", count: 1 },
          { of: "workers", count: 1 },
        ],
      },
    });
  });

  it("is broken by another job's mark", () => {
    const { verdict, summary, observations } = judged(variant, OTHER_MARK);
    expect(verdict).toBe("broken");
    expect(summary).toContain(`job job-completed holds "${OTHER_MARK}"`);
    expect(observations).toHaveLength(1);
  });

  it("is broken by another job's mark in a name, or behind an escaped line break", () => {
    for (const holding of [{ [OTHER_MARK]: 1 }, `\n${OTHER_MARK}`]) {
      const edit = (body: object) => {
        const text = JSON.stringify(body).replaceAll(`"${INPUT_MARK}"`, JSON.stringify(holding));
        return JSON.parse(text) as typeof body;
      };
      const { verdict } = findingOf(judgeJobs(run({ variant, edit })), "job.own-result");
      expect(verdict).toBe("broken");
    }
  });

  it("is not observed where no result holds a mark", () => {
    expect(judged(variant, "hello").verdict).toBe("unobserved");
  });

  it("is broken by a result without the mark where its worker gives others back", () => {
    let looks = 0;
    const jobs = [...run({ variant }), ...run({ variant })].map((history, at) => {
      if (at < 4) return history;
      const issuedId = `${history.issuedId}-2`;
      const polls = history.polls.map((poll) => {
        looks += 1;
        return { ...poll, body: poll.body.replaceAll(INPUT_MARK, "hello") };
      });
      return { ...history, issuedId, polls };
    });
    expect(looks).toBeGreaterThan(0);
    const { verdict, summary } = findingOf(judgeJobs(jobs), "job.own-result");
    expect([verdict, summary]).toEqual(["broken", expect.stringContaining("lacks")]);
  });

  /** A job without a mark after one with it; `shown` becomes of the result. */
  function unmarkedAfter(shown: (result: object) => object) {
    const edit = (body: { output?: unknown }) => {
      const name = "result" in body ? "result" : "output";
      return { ...body, [name]: shown({ ...(body as Record<string, object>)[name] }) };
    };
    const unmarked = run({ variant, ends: ["completed"], edit }).map((history) => ({
      ...history,
      issuedId: `${history.issuedId}-2`,
      submission: { ...history.submission, requestBody: "{}" },
    }));
    return findingOf(judgeJobs([...run({ variant }), ...unmarked]), "job.own-result");
  }

  it("is broken by another job's whole result where the input has no mark", () => {
    const { verdict, summary, observations } = unmarkedAfter((result) => result);
    expect([verdict, observations.length]).toEqual(["broken", 2]);
    expect(summary).toContain("job-completed-2, with no mark in its input, has the result of job");
  });

  it("is kept where a job without a mark lists what another made", () => {
    const list = (result: object) => {
      const data = { made: [result] };
      return variant === "A" ? data : { kind: "object", data, items: [], meta: {} };
    };
    const { verdict, strength } = unmarkedAfter(list);
    expect(verdict).toBe("kept");
    expect(strength?.looks).toContainEqual({ of: "jobs", count: 1 });
  });

  describe("with a tail beyond ASCII", () => {
    const whole = `${INPUT_MARK}${MARK_TAIL}`;
    const came = (...texts: readonly string[]) => {
      const jobs = texts.flatMap((text, at) =>
        run({ variant }).map((history) => {
          const { submission, polls, issuedId } = history;
          const requestBody = submission.requestBody?.replaceAll(INPUT_MARK, whole) ?? null;
          // As a text of JSON within the answer's own.
          const shown = JSON.stringify(text).slice(1, -1);
          const body = (each: string) => each.replaceAll(INPUT_MARK, shown);
          return {
            ...history,
            issuedId: at === 0 ? issuedId : `${issuedId}-${at}`,
            submission: { ...submission, requestBody },
            polls: polls.map((each) => ({ ...each, body: body(each.body) })),
          };
        }),
      );
      return findingOf(judgeJobs(jobs), "job.own-result");
    };

    it.each([
      ["all that is not ASCII", whole.slice(0, -8)],
      ["characters of four bytes", whole.slice(0, -4)],
    ])("is in doubt where each ends before %s", (_, text) => {
      const { verdict, summary } = came(text, text);
      expect(verdict).toBe("inconclusive");
      expect(summary).toContain("may quote no more");
    });

    it("is broken where some are cut within it, and others of the worker are whole", () => {
      const { verdict, summary } = came(whole.slice(0, -5), whole);
      expect(verdict).toBe("broken");
      expect(summary).toContain("[øéж");
    });

    it.each([
      ["whole", whole],
      ["without its last character", whole.slice(0, -1)],
      ["with its last character as in HTML", `${whole}amp;`],
      ["as it was sent, and as in HTML behind it", `${whole} ${whole}amp;`],
      ["cut before it", INPUT_MARK],
      ["cut within it", whole.slice(0, -5)],
      ["cut within a character", `${whole.slice(0, -5)}\ufffd`],
      ["escaped as in JSON", JSON.stringify(`${INPUT_MARK}[\\u00f8\\u00e9\\u0436\\ud83d]`)],
      ["escaped as in HTML", `${INPUT_MARK}[&#xf8;&#xe9;&#1078;東&#128512;]`],
      ["without its ends", `${INPUT_MARK}-o-`],
      ["in letters of ASCII", `${INPUT_MARK}[oezhDong ]`],
      ["in another normal form", whole.normalize("NFD")],
      ["without its accents", whole.replace("é", "e")],
      ["without all that is not ASCII", `${INPUT_MARK}[]`],
    ])("is kept where it came back %s", (_, text) => {
      expect(came(text).verdict).toBe("kept");
    });

    it.each([
      [
        "encoded twice",
        Buffer.from(whole).toString("latin1"),
        "[Ã¸Ã©Ð¶æ\\u009d±ð\\u009f\\u0098\\u0080]",
      ],
      ["as question marks", `${INPUT_MARK}[?????]`, "[?????]"],
      ["as replacement characters", `${INPUT_MARK}[\ufffdéж東😀]`, "[\ufffdéж東😀]"],
      ["without characters of four bytes", `${INPUT_MARK}[øéж東]`, "[øéж東]"],
      ["with half a pair", `${INPUT_MARK}[øéж東\ud83d]`, "[øéж東\\ud83d]"],
      ["in letters alike", `${INPUT_MARK}[oéж東😀]`, "[oéж東😀]"],
    ])("is broken where it came back %s", (_, text, shown) => {
      const { verdict, summary } = came(text);
      expect(verdict).toBe("broken");
      expect(summary).toContain(`holds "${INPUT_MARK}${shown}", its input "${whole}"`);
    });

    it.each([
      ["in ASCII", `${INPUT_MARK}[]`],
      ["in another normal form", whole.normalize("NFD")],
      ["without its accents", whole.replace("é", "e")],
      ["with its last character as in HTML", `${whole}amp;`],
      ["with its last character as a number", `${whole}#38;`],
      ["escaped as in HTML", `${INPUT_MARK}[&#xf8;&#xe9;&#1078;東&#128512;]&`],
    ])("is broken where it came back %s, and whole from the same worker", (_, text) => {
      const { verdict, summary } = came(text, whole);
      expect([verdict, summary]).toEqual(["broken", expect.stringContaining("holds")]);
    });
  });

  describe("of a long text", () => {
    const long = longText(INPUT_MARK);
    const came = (...texts: readonly string[]) => cameFrom(texts, (body) => body);
    const cameFrom = (texts: readonly string[], sent: (body: string, at: number) => string) => {
      const jobs = texts.flatMap((text, at) => {
        const shown = JSON.stringify(text).slice(1, -1);
        return run({ variant }).map((history) => {
          const { submission, polls, issuedId } = history;
          const body = submission.requestBody?.replaceAll(INPUT_MARK, long) ?? "";
          const requestBody = sent(body, at);
          return {
            ...history,
            issuedId: at === 0 ? issuedId : `${issuedId}-${at}`,
            submission: { ...submission, requestBody },
            polls: polls.map((each) => ({
              ...each,
              body: each.body.replaceAll(INPUT_MARK, shown),
            })),
          };
        });
      });
      return findingOf(judgeJobs(jobs), "job.own-result");
    };
    const bytes = Buffer.from(long);
    const upTo = (char: string, units: number) => long.slice(0, long.indexOf(char, units));
    const cut = upTo("東", 1_000);
    const chars = [...cut].length;

    it("has 1,266 characters and an offset", () => {
      const offset = [...long].length - 1_266;
      expect([offset >= 0, offset <= 22, offset % 2]).toEqual([true, true, 0]);
    });

    it.each([
      ["whole", long],
      ["whole, with more around it", `you said: ${long}.`],
      ["cut like a headline", long.slice(0, 500)],
      ["cut like a headline, within a pair", `${upTo("😀", 40)}\ud83d`],
      ["cut, and says so", `${long.slice(0, 1_000)}...`],
      ["in other words from the middle on", `${long.slice(0, 700)}-and so on-${long.slice(700)}`],
      ["escaped as in JSON", long.replaceAll("ø", "\\u00f8")],
    ])("is kept where it came back %s", (_, text) => {
      expect(came(text).verdict).toBe("kept");
    });

    it.each([
      ["half a character", `${cut}\ufffd`],
      ["bytes of a character, each by itself", `${cut}\ufffd\ufffd`],
      ["half a pair", `${upTo("😀", 1_000)}\ud83d`],
      ["all, but for a character between two pieces", `${cut}\ufffd${long.slice(cut.length + 1)}`],
    ])("is broken where of it came back %s", (_, text) => {
      const { verdict, summary } = came(text);
      expect(verdict).toBe("broken");
      expect(summary).toMatch(/has a broken character after \d+ of 1\d\d\d characters/);
    });

    // What a result contains is not part of the service's contract: a worker may quote an excerpt.
    it("is in doubt where it ends between two characters, however many do", () => {
      for (const texts of [[cut], [cut, cut]]) {
        const { verdict, summary } = came(...texts);
        expect(verdict).toBe("inconclusive");
        expect(summary).toContain(`ends after ${chars} of ${[...long].length} characters; worker`);
        expect(summary).toContain("may quote no more");
      }
    });

    it("is broken where the same worker returned another one whole", () => {
      for (const short of [cut, long.slice(0, 255)]) {
        const { verdict, summary } = came(short, long);
        expect(verdict).toBe("broken");
        const count = [...short].length;
        expect(summary).toContain(`ends after ${count} of ${[...long].length} characters`);
        expect(summary).toContain("returned others whole");
      }
    });

    it("may come back whole for one input, and as an excerpt for another of the worker", () => {
      const texts = [long.slice(0, 255), long];
      const { verdict } = cameFrom(texts, (body, at) => body.replace("{", `{"mode": ${at}, `));
      expect(verdict).toBe("kept");
    });

    it("tells of several texts the one that no worker chooses", () => {
      const [excerpt, cutOff] = [long.slice(0, 200), long.slice(0, 1_000)];
      for (const result of [
        { text: cutOff, headline: excerpt },
        { headline: excerpt, text: cutOff },
      ])
        expect(longReturned(result, INPUT_MARK)?.how).toBe("cut");
      const broken = { text: `${cutOff}\ufffd`, headline: excerpt };
      expect(longReturned(broken, INPUT_MARK)?.how).toBe("broken");
    });

    it("ends within a character of some marks, wherever bytes are cut", () => {
      const marks = Array.from({ length: 62 }, (_, at) => {
        const char = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[at];
        return `plumbline-0123456789abcd${char}0`;
      });
      for (let limit = 1_000; limit < 1_022; limit += 1) {
        const hows = marks.map((mark) => {
          const text = Buffer.from(longText(mark)).subarray(0, limit).toString();
          return longReturned(text, mark)?.how;
        });
        const broken = hows.filter((how) => how === "broken").length;
        expect(broken / marks.length, `${limit} bytes`).toBeGreaterThan(0.2);
      }
    });

    it("is at most as long as a field is shown to take", () => {
      for (const char of "0123456789abcdefghijklmnopqrstuvwxyz") {
        const mark = `plumbline-0123456789abcd${char}0`;
        expect(Buffer.byteLength(longText(mark)) - mark.length).toBeLessThanOrEqual(1_900);
      }
      expect(bytes.length).toBeGreaterThan(1_800);
    });
  });

  it("takes a result in \\u escapes of JSON as what they stand for", () => {
    const whole = `${INPUT_MARK}${MARK_TAIL}`;
    const escaped = `${INPUT_MARK}[\\u00f8\\u00e9\\u0436\\u6771\\ud83d\\ude00]`;
    const jobs = run({ variant }).map((history) => ({
      ...history,
      submission: {
        ...history.submission,
        requestBody: history.submission.requestBody?.replaceAll(INPUT_MARK, whole) ?? null,
      },
      polls: history.polls.map((each) => ({
        ...each,
        body: each.body.replaceAll(INPUT_MARK, escaped),
      })),
    }));
    expect(findingOf(judgeJobs(jobs), "job.own-result").verdict).toBe("kept");
  });
});
