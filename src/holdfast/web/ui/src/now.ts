// The present, as far as relative times care: it moves twice a minute.
import { signal } from "@preact/signals";

export const now = signal(Date.now() / 1000);

/** The present to the second, for what is judged and not only told; drawn anew when `now` moves. */
export function presently(): number {
  return Math.max(now.value, Date.now() / 1000);
}

export function startClock(): void {
  const tick = () => (now.value = Date.now() / 1000);
  window.setInterval(tick, 30_000);
  document.addEventListener("visibilitychange", tick);
}
