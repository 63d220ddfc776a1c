/** undici alone with as many requests a second, bodies read, and nothing else: the floor. */

import { Pool } from "undici";

const [port, perSecond, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64, allowH2: false });
const headers = ["accept", "application/json", "accept-encoding", "identity", "x-api-key", "k"];
let [sent, answered, failed] = [0, 0, 0];

async function ask(job: number): Promise<void> {
  try {
    const { body } = await pool.request({ method: "GET", path: `/v1/jobs/job_${job}`, headers });
    await body.text();
    answered += 1;
  } catch {
    failed += 1;
  }
}

const beganMs = performance.now();
/** Ours: until then code is compiled, as that of the probe is while its jobs are submitted. */
const WARM_MS = 2_000;
let [fromMs, cpu] = [beganMs, process.cpuUsage()];
setTimeout(() => {
  [fromMs, cpu, answered] = [performance.now(), process.cpuUsage(), 0];
}, WARM_MS);
const timer = setInterval(() => {
  const due = ((performance.now() - beganMs) / 1_000) * perSecond;
  for (; sent < due; sent += 1) void ask(100_000 + (sent % perSecond));
}, 1);
setTimeout(
  () => {
    clearInterval(timer);
    const { user, system } = process.cpuUsage(cpu);
    const elapsedMs = performance.now() - fromMs;
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
  },
  WARM_MS + seconds * 1_000,
);
