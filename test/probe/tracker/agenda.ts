/** Things to do at simulated times, done in order and at once. */

export class Agenda {
  #nowMs = 0;
  #added = 0;
  #entries: { atMs: number; order: number; action: () => void }[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, action: () => void): void {
    this.#added += 1;
    const entry = { atMs: Math.max(atMs, this.#nowMs), order: this.#added, action };
    const place = this.#entries.findIndex((each) => each.atMs > entry.atMs);
    this.#entries.splice(place === -1 ? this.#entries.length : place, 0, entry);
  }

  run(): void {
    for (let next = this.#entries.shift(); next !== undefined; next = this.#entries.shift()) {
      this.#nowMs = next.atMs;
      next.action();
    }
  }
}
