// What volunteers just brought home, line by line, and which lines somebody wants to see. Pure.
import type { LiveEvent } from "./live.ts";
import type { ItemCounts } from "./model.ts";

export type Line = { key: number; at: number; name: string; item: string; items: number; bytes: number; version: string; again: boolean };

type Report = { downloader: string; item: string; items: number; bytes: number; version: string; is_duplicate: boolean };
type Reported = { project: string; reports: Report[]; more: number; counts: ItemCounts };

export function reportedOf(event: LiveEvent, slug: string): Reported | null {
  if (event.event !== "items.reported" || event.data.project !== slug) return null;
  return event.data as Reported;
}

const MOST = 500;

/** The newest first, and no more of them than anybody reads. */
export function grown(lines: readonly Line[], { reports }: Reported, at: number): Line[] {
  const next = (lines[0]?.key ?? 0) + 1;
  const fresh = reports.map((one, index) => ({
    key: next + index,
    at,
    name: one.downloader,
    item: one.item,
    items: one.items,
    bytes: one.bytes,
    version: one.version,
    again: one.is_duplicate,
  }));
  return [...fresh.reverse(), ...lines].slice(0, MOST);
}

/** Of a report of several items the first is told. Words are looked for in names of volunteers and items; what brought nothing home can be looked for alone. */
export function shown(lines: readonly Line[], words: string, empty: boolean): Line[] {
  const wanted = words.trim().toLowerCase();
  return lines.filter((one) => (!empty || one.bytes === 0)
    && (!wanted || one.name.toLowerCase().includes(wanted) || one.item.toLowerCase().includes(wanted)));
}
