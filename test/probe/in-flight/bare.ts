/** A bare loop of undici with as many requests a second, and nothing else: the floor. */

import { Pool } from "undici";

const [port, perSecond, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, allowH2: false });
const headers = ["accept", "application/json", "accept-encoding", "identity", "x-api-key", "k"];
let [sent, answered, failed] = [0, 0, 0];

class Answer {
  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {
    answered += 1;
  }
  onResponseError(): void {
    failed += 1;
  }
}

const beganMs = performance.now();
const cpu = process.cpuUsage();
const timer = setInterval(() => {
  const due = ((performance.now() - beganMs) / 1_000) * perSecond;
  for (; sent < due; sent += 1) {
    const job = 100_000 + (sent % perSecond);
    pool.dispatch({ method: "GET", path: `/v1/jobs/job_${job}`, headers }, new Answer());
  }
}, 1);
setTimeout(() => {
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const elapsedMs = performance.now() - beganMs;
  process.stdout.write(
    `${JSON.stringify({
      what: "bare undici",
      requestsPerSecond: Math.round(answered / (elapsedMs / 1_000)),
      failed,
      cpuMicrosecondsPerRequest: Math.round((user + system) / answered),
      cpuPercent: Number(((user + system) / 10 / elapsedMs).toFixed(1)),
      rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
    })}\n`,
  );
  process.exit();
}, seconds * 1_000);
