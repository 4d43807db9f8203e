// Numbers, sizes and times as people read them. Pure: the present is a parameter.

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] as const;
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const near = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "long" });

/** 1536 is "1.5 KiB": three figures say enough, the title has the rest. */
export function bytes(size: number): string {
  let value = Math.abs(size);
  let unit = 0;
  while (value >= 1023.5 && unit < BINARY.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  const shown = digits ? value.toFixed(digits).replace(/\.?0+$/, "") : value.toFixed(0);
  return `${size < 0 ? "−" : ""}${shown} ${BINARY[unit]}`;
}

export function exactNumber(value: number): string {
  return whole.format(value);
}

/** Big numbers become "12.3K"; those one can count stay exact. */
export function number(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const STEPS: [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  [3600, "minute", 60],
  [86_400, "hour", 3600],
  [86_400 * 14, "day", 86_400],
  [86_400 * 60, "week", 86_400 * 7],
  [86_400 * 365, "month", 86_400 * 30.4],
  [Infinity, "year", 86_400 * 365.25],
];

export function relative(at: number, now: number): string {
  const away = at - now;
  const distance = Math.abs(away);
  if (distance < 45) return "just now"; // clocks differ: what has happened is never "in a moment"
  for (const [limit, unit, seconds] of STEPS) {
    if (distance < limit) return near.format(Math.trunc(away / seconds) || Math.sign(away), unit);
  }
  return "";
}

export function exact(at: number): string {
  return full.format(new Date(at * 1000));
}

/** "3 d 4 h": the two largest units that matter. */
export function duration(seconds: number): string {
  const units: [string, number][] = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
  let rest = Math.max(0, Math.round(seconds));
  const said: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count || (unit === "s" && !said.length)) said.push(`${count} ${unit}`);
    else if (said.length) break;
    if (said.length === 2) break;
  }
  return said.join(" ");
}

/** "may_leech" is how a field is spelled; "May leech" is how it is said. */
export function words(name: string): string {
  const said = name.replace(/[_.-]+/g, " ").trim();
  return said.charAt(0).toUpperCase() + said.slice(1);
}

export function share(done: number, total: number): string {
  return total > 0 ? `${((done / total) * 100).toFixed(done > 0 && done / total < 0.1 ? 1 : 0)} %` : "—";
}
