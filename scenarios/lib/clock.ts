/** Waiting, in k6's event loop. */

export function now(): number {
  return Date.now();
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });
}

export function delayUntil(atMs: number): Promise<void> {
  return delay(atMs - now());
}
