// What of somebody's traffic is credited, in words. Pure.
export type Shares = { multi_up: number; multi_down: number };

const TIMES: Record<number, string> = { 0: "nothing", 0.5: "half", 1: "as they are", 2: "twice" };

function times(share: number): string {
  return TIMES[share] ?? `${share} times`;
}

/** "uploads count twice, downloads nothing". */
export function spellShares({ multi_up, multi_down }: Shares): string {
  return multi_up === multi_down ? `uploads and downloads count ${times(multi_up)}` : `uploads count ${times(multi_up)}, downloads ${times(multi_down)}`;
}

export function usual({ multi_up, multi_down }: Shares): boolean {
  return multi_up === 1 && multi_down === 1;
}

/** What is sent where a person has typed both: only what differs, for a reason that somebody gave. */
export function changed(before: Shares, up: string, down: string, reason: string): Partial<Shares> & { reason?: string } {
  const told = {
    ...(Number(up) === before.multi_up ? {} : { multi_up: Number(up) }),
    ...(Number(down) === before.multi_down ? {} : { multi_down: Number(down) }),
  };
  return Object.keys(told).length ? { ...told, reason: reason.trim() } : {};
}
