// Real addresses without reloading: where we are, how to get elsewhere, and the way back to the same spot.
import { signal } from "@preact/signals";

export type Place = { path: string; search: string };

const read = (): Place => ({ path: location.pathname, search: location.search });

export const here = signal<Place>(read());
/** Counts journeys, so that a page may tell a fresh visit from a change of its own filters. */
export const visit = signal(0);

type Remembered = { key: number };
const scrolls = new Map<number, number>();
let key = 0;
let latest = 0;

function remember(): void {
  scrolls.set(key, window.scrollY);
}

/** What the router leaves to the browser: the API, health, files to fetch. */
const ELSEWHERE = /^\/(api\/|assets\/|health\/|metrics$)/;

export function navigate(to: string, how: "push" | "replace" = "push"): void {
  const target = new URL(to, location.href);
  const moved = target.pathname !== location.pathname;
  if (how === "push") {
    remember();
    key = latest += 1;
    history.pushState({ key } satisfies Remembered, "", target);
  } else {
    history.replaceState({ key } satisfies Remembered, "", target);
  }
  here.value = read();
  if (moved) {
    visit.value += 1;
    if (how === "push") window.scrollTo(0, 0);
  }
}

/** Changes the query of the page one is on; typing into a filter leaves no trail of steps behind. */
export function ask(change: Record<string, string>, how: "push" | "replace" = "replace"): void {
  const query = new URLSearchParams(here.value.search);
  for (const [name, value] of Object.entries(change)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.toString();
  navigate(here.value.path + (search ? `?${search}` : ""), how);
}

export function asked(name: string): string {
  return new URLSearchParams(here.value.search).get(name) ?? "";
}

function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a[href]") as HTMLAnchorElement | null;
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (ELSEWHERE.test(link.pathname)) return;
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  navigate(link.href);
}

/** A page may still be fetching what made it long: try for a second, or until its reader moves. */
function restore(top: number): void {
  const until = performance.now() + 1000;
  let stopped = false;
  const stop = () => (stopped = true);
  window.addEventListener("wheel", stop, { once: true, passive: true });
  window.addEventListener("keydown", stop, { once: true });
  window.addEventListener("touchstart", stop, { once: true, passive: true });
  const step = () => {
    if (stopped) return;
    window.scrollTo(0, top);
    if (Math.abs(window.scrollY - top) > 2 && performance.now() < until) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

export function startRouter(): void {
  history.scrollRestoration = "manual";
  const known = history.state as Remembered | null;
  key = known?.key ?? Date.now();
  latest = Math.max(key, Date.now());
  history.replaceState({ key } satisfies Remembered, "");
  document.addEventListener("click", follow);
  window.addEventListener("popstate", (event) => {
    remember();
    key = (event.state as Remembered | null)?.key ?? 0;
    const before = here.value.path;
    here.value = read();
    if (here.value.path !== before) visit.value += 1;
    restore(scrolls.get(key) ?? 0);
  });
}
