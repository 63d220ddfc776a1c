/** Spans of time, what several of them cover, and what comes in groups with pauses between. */

export interface Span {
  fromMs: number;
  toMs: number;
}

/** In order of time; those that touch are one. */
export function joined(spans: readonly Span[]): readonly Span[] {
  return joinedBy(spans, (first, next) => {
    return { fromMs: first.fromMs, toMs: Math.max(first.toMs, next.toMs) };
  });
}

/** The same of spans that tell more: `both` makes one of two that touch. */
export function joinedBy<Each extends Span>(
  spans: readonly Each[],
  both: (first: Each, next: Each) => Each,
): readonly Each[] {
  const whole: Each[] = [];
  for (const next of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1);
    if (last === undefined || next.fromMs > last.toMs) whole.push(next);
    else whole[whole.length - 1] = both(last, next);
  }
  return whole;
}

/** Milliseconds of that time that are in one of the spans. */
export function overlapMs(spans: readonly Span[], { fromMs, toMs }: Span): number {
  const within = spans.map((each) => Math.min(each.toMs, toMs) - Math.max(each.fromMs, fromMs));
  return within.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

/** In their order, in groups: each that is apart from the one before it begins another. */
export function groupsOf<Each>(
  all: readonly Each[],
  isApart: (next: Each, before: Each) => boolean,
): readonly (readonly Each[])[] {
  const starts = all.flatMap((next, at) => {
    const before = all[at - 1];
    return before === undefined || isApart(next, before) ? [at] : [];
  });
  return starts.map((at, group) => all.slice(at, starts[group + 1]));
}
