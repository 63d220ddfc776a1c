/**
 * How late this machine let its threads run. Whatever beats (a timer, an answer of another thread)
 * notes the span in which it was late; whoever judges asks for the worst of a time.
 */

/** In ms, by the clock of whoever measured. */
export interface LagSpan {
  fromMs: number;
  toMs: number;
  lagMs: number;
}

export interface LagRecord {
  note(span: LagSpan): void;
  /** Notes what another observer tells again and again: each of its spans once. */
  hear(spans: readonly LagSpan[]): void;
  /** Spans that touch the time, in the order of noting. */
  between(fromMs: number, toMs: number): readonly LagSpan[];
  /** The worst lag of any moment in between, in ms; 0 without any. */
  worst(fromMs: number, toMs: number): number;
  /**
   * The worst lag that may have delayed what was seen then, in ms: what piled up while the machine
   * stood still is done one after another. Ours: in no more time than it took to pile up.
   */
  worstFelt(fromMs: number, toMs: number): number;
  /** By how much more than `usualMs` the spans that touch the time were late, in all, in ms. */
  sumAbove(usualMs: number, fromMs: number, toMs: number): number;
  /** The lag that this share of the spans stays below, in ms. */
  quantile(share: number): number;
}

interface Kept {
  /** How long a span is kept after its end, as others end. */
  keptMs: number;
  /** What is less is no lag. */
  leastMs: number;
}

export function lagRecord(kept: Partial<Kept> = {}): LagRecord {
  const { keptMs = Number.POSITIVE_INFINITY, leastMs = 0 } = kept;
  let spans: LagSpan[] = [];
  let heardUntilMs = Number.NEGATIVE_INFINITY;
  const note = (span: LagSpan) => {
    if (span.lagMs < leastMs) return;
    const oldest = spans[0];
    // One that is twice too old: so each span is looked at a few times only.
    if (oldest !== undefined && oldest.toMs < span.toMs - 2 * keptMs) {
      spans = spans.filter(({ toMs }) => toMs >= span.toMs - keptMs);
    }
    spans.push(span);
  };
  const between = (fromMs: number, toMs: number) =>
    spans.filter((each) => each.toMs >= fromMs && each.fromMs <= toMs);
  const worstOf = (found: readonly LagSpan[]) =>
    found.reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0);
  return {
    note,
    hear(told) {
      const news = told.filter(({ toMs }) => toMs > heardUntilMs);
      heardUntilMs = Math.max(heardUntilMs, ...news.map(({ toMs }) => toMs));
      for (const each of news) note(each);
    },
    between,
    worst: (fromMs, toMs) => worstOf(between(fromMs, toMs)),
    worstFelt: (fromMs, toMs) =>
      worstOf(spans.filter((each) => each.toMs + each.lagMs >= fromMs && each.fromMs <= toMs)),
    sumAbove: (usualMs, fromMs, toMs) =>
      between(fromMs, toMs).reduce((sum, { lagMs }) => sum + Math.max(0, lagMs - usualMs), 0),
    quantile(share) {
      const sorted = spans.map(({ lagMs }) => lagMs).sort((a, b) => a - b);
      return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    },
  };
}

/** Ours: finer is a load by itself, and no lag that matters to a verdict. */
const BEAT_MS_MIN = 10;
/** Ours: as fine as any tolerance of the shortest time that is promised, the webhook's 10 s. */
const BEATS = 200;

/** How often whoever watches a machine day and night looks whether it is late; whole ms. */
export function beatMsFor({ webhookAnswerMs }: { webhookAnswerMs: number }): number {
  return Math.max(BEAT_MS_MIN, Math.round(webhookAnswerMs / BEATS));
}
