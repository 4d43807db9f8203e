// The present, as far as relative times care: it moves twice a minute.
import { signal } from "@preact/signals";

export const now = signal(Date.now() / 1000);

export function startClock(): void {
  const tick = () => (now.value = Date.now() / 1000);
  window.setInterval(tick, 30_000);
  document.addEventListener("visibilitychange", tick);
}
