// What a report says, in one sentence, so that staff need not know the words of the API. Pure.
import { bytes, duration, plural } from "./format.ts";
import type { Report } from "./model.ts";

export function spellReport({ kind, worst, details, count }: Pick<Report, "kind" | "worst" | "details" | "count">): string {
  const number = (name: string) => (typeof details[name] === "number" ? details[name] : 0);
  const said: Record<Report["kind"], () => string> = {
    speed: () => `claimed ${bytes(worst)} a second: ${bytes(Math.max(number("uploaded"), number("downloaded")))} in ${duration(number("seconds"))}`,
    balance: () => `${bytes(worst)} more given than taken in this swarm`,
    leak: () => `the torrent's own key was used where it should not be${typeof details.ip === "string" ? `, from ${details.ip}` : ""}`,
  };
  return said[kind]() + (count > 1 ? `, ${plural(count, "time")} by now` : "");
}
