// How fast a count grows, from looks at it that come when they come. Pure.

export type Look = { at: number; count: number };

/** Between the last two looks; null until there are two. A count that began anew has no rate yet. */
export function rate(looks: readonly Look[]): number | null {
  const [before, last] = looks.slice(-2);
  if (!before || !last || last.at <= before.at || last.count < before.count) return null;
  return (last.count - before.count) / (last.at - before.at);
}

/** Every rate between two looks, for a line. */
export function rates(looks: readonly Look[]): number[] {
  return looks.flatMap((_, at) => {
    const one = at > 0 ? rate(looks.slice(at - 1, at + 1)) : null;
    return one === null ? [] : [one];
  });
}

/** 0.05 is told as "0.05", 12.34 as "12.3", 1234.5 as "1,235". */
export function spellRate(value: number): string {
  const digits = value >= 100 || value === 0 ? 0 : value >= 1 ? 1 : 2;
  return new Intl.NumberFormat("en", { maximumFractionDigits: digits }).format(value);
}
