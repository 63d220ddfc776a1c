/** Rule tests of the alerts on symptoms of the service, other than failing canaries. */

import type { Courses } from "./healthy.ts";
import { at, CANARY, risesAt, run, times, violated } from "./healthy.ts";
import type { RuleCase } from "./rule-case.ts";

const limited = at("plumbline_http_rate_limited_total", 'route="/v1/me"');
const lastSuccess = at("plumbline_canary_last_success_timestamp_seconds", CANARY);
/** No run succeeds between these minutes. */
const stays = (from: number, to: number) => (minute: number) =>
  60 * Math.floor(minute < to ? Math.min(minute, from) : minute);
const faulty = (fault: string) => {
  return at("plumbline_http_response_faults_total", `fault="${fault}"`);
};
const submissions = at(
  "plumbline_http_requests_total",
  'method="POST",route="/v1/workers/{worker_id}/jobs",status="202"',
);
const answers = at("plumbline_http_requests_total", 'route="/v1/me",status="200"');
const missing = at("plumbline_webhook_deliveries_total", 'outcome="missing"');
const creditsLeft = at("plumbline_credits_left");
const expiry = at("plumbline_certificate_expiry_timestamp_seconds");
const lifetime = at("plumbline_certificate_lifetime_seconds");
const DAY = 86_400;
const monthCredits = at("plumbline_budget_left", 'span="month",unit="credits"');
const dayLeft = at("plumbline_budget_left", 'span="day",unit="jobs"');

const seldomSince70: Courses = {
  [at("plumbline_canary_interval_seconds", CANARY)]: (minute) => (minute >= 70 ? 600 : 60),
  [at("plumbline_spent_jobs_total")]: (minute) =>
    times(minute, 0, 70) + Math.floor(times(minute, 70) / 10),
};

/** One violation is enough; what happened before the window is over. */
function oneViolation(alert: string, promise: string, almost: string): RuleCase {
  return {
    alert,
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: `one observation contradicts ${promise}`,
      series: { [violated(promise)]: risesAt(10) },
      minutes: { silent: 9, firing: 11, silentAgain: 71 },
    },
    nearMiss: {
      title: `none does; ${almost}`,
      series: { [violated(promise)]: (minute) => (minute < 10 ? 3 : 0) },
      until: 30,
    },
  };
}

const started = at("process_start_time_seconds");

const RESTART = "a restart has set the counter back";

export const SYMPTOM_CASES: readonly RuleCase[] = [
  {
    alert: "PlumblineJobsStuck",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "two jobs without an end within an hour",
      series: { [run("deadline")]: risesAt(10, 40) },
      minutes: { silent: 39, firing: 41, silentAgain: 72 },
    },
    nearMiss: {
      title: "two jobs without an end, more than an hour apart",
      series: { [run("deadline")]: risesAt(10, 75) },
      until: 90,
    },
  },
  oneViolation("PlumblineTimeoutCharged", "timeout.free", RESTART),
  oneViolation("PlumblinePromiseBroken", "job.shape", RESTART),
  oneViolation("PlumblineRetryAfterUntrue", "rate.retry-after-present", RESTART),
  {
    alert: "PlumblinePromiseBroken",
    severity: "page",
    everySeconds: 60,
    fires: {
      title: "three jobs in a row without a result of their own",
      series: { [violated("job.own-result")]: risesAt(10, 11, 12) },
      minutes: { silent: 9, firing: 13, silentAgain: 73 },
      also: ["PlumblinePromiseBroken ticket"],
    },
    nearMiss: {
      title: "two of them within a quarter of an hour, and three that broke another promise",
      series: {
        [violated("job.own-result")]: risesAt(10, 20, 30),
        [violated("job.shape")]: risesAt(10, 11, 12),
      },
      until: 60,
      also: ["PlumblinePromiseBroken ticket"],
    },
  },
  {
    alert: "PlumblineWebhookMissing",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "two webhooks that never came",
      series: { [missing]: risesAt(10, 30), [violated("webhook.delivered")]: risesAt(10, 30) },
      minutes: { silent: 29, firing: 31, silentAgain: 72 },
    },
    nearMiss: {
      title: "a single one",
      series: { [missing]: risesAt(10), [violated("webhook.delivered")]: risesAt(10) },
      until: 60,
    },
  },
  {
    alert: "PlumblineWebhookMissing",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "two webhooks are given up between two scrapes, and the probe restarts later",
      series: {
        [missing]: (minute) => (minute >= 10 && minute < 40 ? 2 : minute >= 70 ? 1 : 0),
        [violated("webhook.delivered")]: () => 0,
        [started]: (minute) => (minute < 40 ? -86_400 : 2_400),
      },
      minutes: { silent: 9, firing: 11, silentAgain: 71 },
    },
    nearMiss: {
      title: "a probe that has counted two, and one more after Prometheus began to look",
      series: { [missing]: (minute) => (minute < 10 ? null : minute < 30 ? 2 : 3) },
      until: 60,
    },
  },
  {
    alert: "PlumblineResponsesFaulty",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "three lost submissions within an hour, whose runs succeed",
      series: { [faulty("lost-submissions")]: risesAt(10, 30, 50) },
      minutes: { silent: 49, firing: 51, silentAgain: 72 },
    },
    nearMiss: {
      title: "two of a kind, one of another, and a twelfth of the responses that takes seconds",
      series: {
        [faulty("failed-polls")]: risesAt(10, 20),
        [faulty("rejected-key")]: risesAt(15),
        [faulty("slow")]: (minute) => times(minute, 0),
        [answers]: (minute) => 12 * times(minute, 0),
      },
      until: 60,
    },
  },
  {
    alert: "PlumblineResponsesFaulty",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "each response of ten minutes takes seconds",
      series: {
        [faulty("slow")]: (minute) => 12 * times(minute, 60, 70),
        [answers]: (minute) => 12 * times(minute, 0),
      },
      minutes: { silent: 64, firing: 68, silentAgain: 130 },
    },
    nearMiss: {
      title: "each response of four minutes does",
      series: {
        [faulty("slow")]: (minute) => 12 * times(minute, 60, 64),
        [answers]: (minute) => 12 * times(minute, 0),
      },
      until: 130,
    },
  },
  {
    alert: "PlumblineResponsesFaulty",
    severity: "page",
    everySeconds: 60,
    fires: {
      title: "each submission of half an hour gets no usable response",
      series: {
        [faulty("lost-submissions")]: (minute) => times(minute, 60, 90),
        [submissions]: (minute) => times(minute, 0),
      },
      minutes: { silent: 62, firing: 70, silentAgain: 155 },
      also: ["PlumblineResponsesFaulty ticket"],
    },
    nearMiss: {
      title: "five of thirty submissions in a quarter of an hour",
      series: {
        [faulty("lost-submissions")]: (minute) => times(minute, 60, 65),
        [submissions]: (minute) => 2 * times(minute, 0),
      },
      until: 130,
      also: ["PlumblineResponsesFaulty ticket"],
    },
  },
  {
    alert: "PlumblineRateLimitedWithinPlan",
    severity: "page",
    everySeconds: 60,
    fires: {
      title: "nothing but refusals for twenty minutes",
      series: { [limited]: (minute) => times(minute, 10, 30), [lastSuccess]: stays(10, 30) },
      minutes: { silent: 11, firing: 21, silentAgain: 46 },
      also: ["PlumblineRateLimitedWithinPlan ticket"],
    },
    nearMiss: {
      title: "nothing but refusals for nine minutes; some between runs that succeed",
      series: { [limited]: (minute) => times(minute, 10), [lastSuccess]: stays(10, 19) },
      until: 60,
      also: ["PlumblineRateLimitedWithinPlan ticket"],
    },
  },
  {
    alert: "PlumblineRateLimitedWithinPlan",
    severity: "ticket",
    fires: {
      title: "three refusals between two scrapes",
      series: { [limited]: risesAt(10, 10, 10) },
      minutes: { silent: 9.5, firing: 10, silentAgain: 25.5 },
    },
    nearMiss: {
      title: "two refusals between two scrapes",
      series: { [limited]: risesAt(10, 10) },
      until: 40,
    },
  },
  {
    alert: "PlumblineRateLimitedWithinPlan",
    severity: "ticket",
    fires: {
      title: "three refusals before the first scrape of a probe that has just been started",
      series: {
        [limited]: (minute) => (minute < 10 ? null : 3),
        [started]: (minute) => (minute < 10 ? null : 590),
      },
      minutes: { silent: 9.5, firing: 10, silentAgain: 25.5 },
    },
    nearMiss: {
      title: "a hundred refusals of days ago, which are all that a new Prometheus sees",
      series: { [limited]: (minute) => (minute < 10 ? null : 100) },
      until: 40,
    },
  },
  {
    alert: "PlumblineRateLimitedWithinPlan",
    severity: "ticket",
    fires: {
      title: "three refusals between a restart and the scrape after it",
      series: {
        [limited]: (minute) => (minute < 10 ? 5 : 3),
        [started]: (minute) => (minute < 10 ? -86_400 : 590),
      },
      minutes: { silent: 9.5, firing: 10, silentAgain: 25.5 },
    },
    nearMiss: {
      title: "five refusals of before the window, and a restart",
      series: {
        [limited]: (minute) => (minute < 20 ? 5 : 0),
        [started]: (minute) => (minute < 20 ? -86_400 : 1_190),
      },
      until: 40,
    },
  },
  {
    alert: "PlumblineRateLimitedWithinPlan",
    severity: "ticket",
    fires: {
      title: "three refusals in a quarter of an hour",
      series: { [limited]: risesAt(10, 12, 14) },
      minutes: { silent: 13.5, firing: 14.5, silentAgain: 26 },
    },
    nearMiss: {
      title: "two refusals, and a third one later",
      series: { [limited]: risesAt(10, 12, 28) },
      until: 40,
    },
  },
  {
    alert: "PlumblineCertificateExpiring",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "a certificate of 90 days with 13 of them left, on one of several instances",
      series: {
        [expiry]: (minute) => (minute >= 20 && minute < 40 && minute % 5 === 0 ? 13 : 60) * DAY,
      },
      minutes: { silent: 19, firing: 23, silentAgain: 46 },
    },
    nearMiss: {
      title: "a day's certificate, which is renewed when less than a third of it is left",
      series: { [expiry]: (minute) => minute * 60 + 0.3 * DAY, [lifetime]: () => DAY },
      until: 40,
    },
  },
  {
    alert: "PlumblineCertificateExpiring",
    severity: "ticket",
    everySeconds: 300,
    fires: {
      title: "a day's certificate with a fifth of it left",
      series: { [expiry]: (minute) => (minute < 320 ? DAY / 4 : DAY), [lifetime]: () => DAY },
      minutes: { silent: 70, firing: 75, silentAgain: 335 },
    },
    nearMiss: {
      title: "a service without TLS",
      series: { [expiry]: () => Number.NaN, [lifetime]: () => Number.NaN },
      until: 40,
    },
  },
  {
    alert: "PlumblineCreditsLow",
    severity: "ticket",
    everySeconds: 300,
    fires: {
      title: "credits for less than three days",
      // 0.1 credits a minute are 432 in three days.
      series: { [creditsLeft]: (minute) => (minute >= 390 && minute < 420 ? 400 : 1_000) },
      minutes: { silent: 380, firing: 400, silentAgain: 425 },
    },
    nearMiss: {
      title: "credits for more than three days",
      series: { [creditsLeft]: () => 450 },
      until: 420,
    },
  },
  {
    alert: "PlumblineCreditsLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "somebody else spends the account's credits within the hour",
      series: { [creditsLeft]: (minute) => 90_000 - 1_000 * times(minute, 10, 70) },
      minutes: { silent: 60, firing: 78, silentAgain: 130 },
    },
    nearMiss: {
      title: "a load that holds back a third of the balance, and a balance that was raised",
      series: {
        [creditsLeft]: (minute) =>
          minute >= 70 && minute < 80 ? 68_000 : minute < 100 ? 1e5 : 2e5,
      },
      until: 180,
    },
  },
  {
    alert: "PlumblineCreditsLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "two submissions refused with 402",
      series: { [run("credits")]: risesAt(10, 11) },
      minutes: { silent: 10, firing: 17, silentAgain: 43 },
    },
    nearMiss: {
      title: "a balance that can't be read",
      series: { [creditsLeft]: () => Number.NaN },
      until: 40,
    },
  },
  {
    alert: "PlumblineCreditsLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "an account in debt, whose submissions are refused",
      series: { [creditsLeft]: () => -50, [run("credits")]: risesAt(10, 11) },
      minutes: { silent: 10, firing: 17, silentAgain: 43 },
    },
    nearMiss: {
      title: "a debt that stays, and that canaries make larger, of an account that pays later",
      series: { [creditsLeft]: (minute) => -50 - times(minute, 0) / 10 },
      until: 420,
    },
  },
  {
    alert: "PlumblineBudgetLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "jobs for less than two hours, long before midnight",
      series: { [dayLeft]: (minute) => (minute >= 70 && minute < 90 ? 100 : 1_000) },
      minutes: { silent: 69, firing: 71, silentAgain: 91 },
    },
    nearMiss: {
      title: "jobs for more than two hours, and a ceiling that is none",
      series: { [dayLeft]: () => 130 },
      until: 90,
    },
  },
  {
    alert: "PlumblineBudgetLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "credits of the month for less than two hours, at a tenth of a credit a minute",
      series: { [monthCredits]: (minute) => (minute >= 70 && minute < 90 ? 11 : 1_000) },
      minutes: { silent: 69, firing: 71, silentAgain: 91 },
    },
    nearMiss: {
      title: "credits that are fewer than the jobs of two hours, and last longer",
      series: { [monthCredits]: () => 13 },
      until: 90,
    },
  },
  {
    alert: "PlumblineBudgetLow",
    severity: "ticket",
    everySeconds: 60,
    fires: {
      title: "a reload makes the canary seldom, and leaves it jobs for less than two hours",
      series: {
        ...seldomSince70,
        [dayLeft]: (minute) => (minute >= 70 && minute < 90 ? 10 : 1_000),
      },
      minutes: { silent: 69, firing: 71, silentAgain: 91 },
    },
    nearMiss: {
      title: "a reload lowers the ceiling, and makes the canary seldom",
      series: { ...seldomSince70, [dayLeft]: (minute) => (minute >= 70 ? 100 : 1_000) },
      until: 130,
    },
  },
  {
    alert: "PlumblineBudgetLow",
    severity: "ticket",
    everySeconds: 60,
    // The month is over at minute 240.
    startsAt: "1970-01-31T20:00:00Z",
    fires: {
      title: "credits of the month for less than two hours, and not to its end",
      series: { [monthCredits]: (minute) => (minute >= 70 && minute < 90 ? 11 : 1_000) },
      minutes: { silent: 69, firing: 71, silentAgain: 91 },
    },
    nearMiss: {
      title: "credits for less than two hours, which are more than the month has left",
      series: { [monthCredits]: (minute) => (minute >= 135 ? 11 : 1_000) },
      until: 200,
    },
  },
  {
    alert: "PlumblineBudgetLow",
    severity: "ticket",
    everySeconds: 300,
    fires: {
      title: "a run that was not started for want of budget",
      series: {
        [at("plumbline_canary_skipped_total", `${CANARY},reason="budget"`)]: risesAt(10),
      },
      minutes: { silent: 5, firing: 15, silentAgain: 30 },
    },
    nearMiss: {
      title: "an hour's jobs left in the last hour of the day",
      series: { [dayLeft]: (minute) => (minute > 1_400 ? 100 : 1_500) },
      until: 1_435,
    },
  },
];
