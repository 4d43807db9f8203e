// How far a project is, how fast it goes, and when it will be through. Pure.
import type { ItemCounts, Point } from "./model.ts";

export type Part = "done" | "out" | "failed" | "todo";
export const PARTS: readonly Part[] = ["done", "out", "failed", "todo"];

export type Stretch = { part: Part; from: number; width: number };

/** One bar of a hundred; whoever is there at all is wide enough to be seen. */
export function stretches(counts: ItemCounts, least = 0.6): Stretch[] {
  const all = PARTS.reduce((sum, part) => sum + counts[part], 0);
  if (!all) return [];
  const wide = PARTS.filter((part) => counts[part] > 0).map((part) => ({ part, width: Math.max(least, (counts[part] / all) * 100) }));
  const sum = wide.reduce((sum, one) => sum + one.width, 0);
  let from = 0;
  return wide.map(({ part, width }) => {
    const own = (width / sum) * 100;
    const stretch = { part, from, width: own };
    from += own;
    return stretch;
  });
}

/** Every share of a whole but the last hundredth is "99.9 %" at most: nothing is done before it is done. */
export function doneShare(counts: ItemCounts): string {
  const all = counts.todo + counts.out + counts.done + counts.failed;
  if (!all) return "—";
  if (counts.done === all) return "100 %";
  const share = Math.min(99.9, (counts.done / all) * 100);
  return `${share.toFixed(share < 10 || share > 99 ? 1 : 0)} %`;
}

/** What a sum was at a moment, by the last point before it. */
export function sumAt(points: readonly Point[], at: number): number | null {
  let found: number | null = null;
  for (const [time, sum] of points) {
    if (time > at) break;
    found = sum;
  }
  return found;
}

const HOUR = 3600;

/** What came in a second over the last hour, or since the beginning when that is nearer; null before there is one. */
export function pace(points: readonly Point[], now: { at: number; sum: number }): number | null {
  const first = points[0];
  if (!first) return null;
  const since = Math.max(now.at - HOUR, first[0]);
  const before = since === first[0] ? 0 : sumAt(points, since);
  const seconds = now.at - since;
  if (before === null || seconds < 60 || now.sum < before) return null;
  return (now.sum - before) / seconds;
}

/** Seconds until nothing is left, at this pace; null when that cannot be said. */
export function timeLeft(counts: ItemCounts, perSecond: number | null): number | null {
  const left = counts.todo + counts.out;
  if (!left) return 0;
  return perSecond ? left / perSecond : null;
}

/** The unit in which a pace is a number that one can picture. */
export function spellPace(perSecond: number): { count: number; per: "second" | "minute" | "hour" | "day" } {
  if (perSecond >= 2) return { count: perSecond, per: "second" };
  if (perSecond * 60 >= 2) return { count: perSecond * 60, per: "minute" };
  if (perSecond * HOUR >= 2) return { count: perSecond * HOUR, per: "hour" };
  return { count: perSecond * 24 * HOUR, per: "day" };
}
