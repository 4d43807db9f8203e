// What a change changed, field by field. Pure.
import { bytes, exact, words } from "./format.ts";

export type Change = { field: string; before?: unknown; after?: unknown };
type Facts = Record<string, unknown> | null;

function isFacts(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function difference(before: Facts, after: Facts): Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes: Change[] = [];
  for (const field of names) {
    const was = before?.[field];
    const is = after?.[field];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    if (isFacts(was) && isFacts(is)) {
      changes.push(...difference(was, is).map((one) => ({ ...one, field: `${field} ${one.field}` })));
      continue;
    }
    changes.push({ field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) });
  }
  return changes;
}

const SIZES = /(^|_)(size|bytes|uploaded|downloaded|piece_length)$/;
const TIMES = /(^|_)(at|created|expires|joined|since|last_seen|last_used|last_action)$/;

/** A field's name tells what its number means. */
export function spellField(field: string, value: unknown): string {
  if (typeof value === "number" && SIZES.test(field)) return bytes(value);
  if (typeof value === "number" && TIMES.test(field) && value > 1e8) return exact(value);
  return spell(value);
}

export function spell(value: unknown): string {
  if (value === null) return "nothing";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === "") return "empty";
  if (Array.isArray(value)) return value.length ? value.map(spell).join(", ") : "none";
  if (isFacts(value) && Object.values(value).every((one) => typeof one === "boolean")) {
    return spell(Object.keys(value).filter((name) => value[name]));
  }
  if (typeof value === "object") return Object.entries(value as object).map(([name, one]) => `${words(name).toLowerCase()}: ${spellField(name, one)}`).join("; ");
  return String(value);
}
