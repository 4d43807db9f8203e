// The geometry of a chart: where a point lies, which lines carry a number, what a narrower look shows. Pure.
import type { Point } from "./model.ts";

export type Span = { from: number; to: number };

const LEAST = 600;

export function whole(points: readonly Point[], now: number): Span {
  const from = points[0]?.[0] ?? now - LEAST;
  return { from: Math.min(from, now - LEAST), to: now };
}

/** The part that one wants to see, within what there is. */
export function within(span: Span, all: Span): Span {
  const length = Math.min(Math.max(span.to - span.from, LEAST), all.to - all.from);
  const from = Math.min(Math.max(span.from, all.from), all.to - length);
  return { from, to: from + length };
}

/** 0.5 shows half as long, 2 twice as long, around the same middle. */
export function zoomed(span: Span, factor: number, all: Span): Span {
  const middle = (span.from + span.to) / 2;
  const half = ((span.to - span.from) * factor) / 2;
  return within({ from: middle - half, to: middle + half }, all);
}

export function moved(span: Span, share: number, all: Span): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, all);
}

/** A point stands for a minute: what is nearer than that is the same place. */
const MINUTE = 60;

export function atStart(span: Span, all: Span): boolean {
  return span.from - all.from < MINUTE;
}

export function atEnd(span: Span, all: Span): boolean {
  return all.to - span.to < MINUTE;
}

export function isWhole(span: Span, all: Span): boolean {
  return atStart(span, all) && atEnd(span, all);
}

/** Sums as they stood from one end of the span to the other: what came before enters at its height. */
export function across(points: readonly Point[], { from, to }: Span): Point[] {
  const inside = points.filter(([at]) => at > from && at <= to);
  const before = points.filter(([at]) => at <= from).at(-1);
  const start = before?.[1] ?? (inside.length ? 0 : undefined);
  if (start === undefined) return [];
  const last = inside.at(-1)?.[1] ?? start;
  return [[from, start], ...inside, [to, last]];
}

/** From the lowest to the highest, a little air around; what grows from nothing stands on nothing. */
export function heights(line: readonly Point[]): { low: number; high: number } {
  const low = line[0]?.[1] ?? 0;
  const high = line.at(-1)?.[1] ?? 1;
  if (high <= low) return { low: Math.max(0, low - 1), high: high + 1 };
  return { low: low < (high - low) / 2 ? 0 : low, high };
}

/** Three to six round numbers between two others; of bytes they are powers of two. */
export function marks(low: number, high: number, binary = false): number[] {
  const rough = Math.max(1, (high - low) / 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = binary ? 2 ** Math.ceil(Math.log2(rough)) : power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

const STEPS = [60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400, 91 * 86_400, 365 * 86_400];

/** Round moments of local time in a span, so many at most. */
export function moments({ from, to }: Span, most: number, offset: number): number[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 365 * 86_400;
  const found: number[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) found.push(at);
  return found;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });

/** By the clock, where a day begins by the date, and by the date alone when days lie close together. */
export function spellMoment(at: number, { from, to }: Span): string {
  const days = (to - from) / 86_400;
  const moment = new Date(at * 1000);
  if (days > 400) return MONTH.format(moment);
  return days > 4 || CLOCK.format(moment) === "00:00" ? DAY.format(moment) : CLOCK.format(moment);
}
