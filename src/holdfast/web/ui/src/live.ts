// One websocket for the whole page: who listens to what, and how it finds back after being cut.
import { computed, signal } from "@preact/signals";
import { alive, BASE, reachable } from "./api.ts";

export type Topic = "uploads" | "members" | "projects" | "items" | "notices" | "audit" | "system";
export type LiveEvent = { topic: Topic; event: string; data: Record<string, unknown>; at: number };
type Listener = (event: LiveEvent | null) => void;

type Told = Partial<LiveEvent> & { subscribed?: Topic[]; refused?: Topic[]; dropped?: number; gap?: boolean };

/** The code with which the server ends the feed of a session that is over. */
const SIGNED_OUT = 4401;

/** Grows whenever something may have been missed: whoever shows data fetches it anew. */
export const epoch = signal(0);
export const connected = signal(false);
/** The socket has been away for longer than a blink. */
export const paused = signal(false);
/** Seconds after which data is fetched again while nothing arrives by itself. */
export const POLL_SECONDS = 15;

/** What the server tells us of; it may not know a topic, or not let us hear it. */
export const granted = signal<ReadonlySet<Topic>>(new Set());

/** These speak several times a second: nobody listens to them for later. */
const TALKATIVE: ReadonlySet<Topic> = new Set(["items"]);

const online = signal(navigator.onLine);
export const feed = computed<"live" | "paused" | "away">(() =>
  !reachable.value || !online.value ? "away" : paused.value ? "paused" : "live",
);

const listeners = new Map<Topic, Set<Listener>>();
let socket: WebSocket | null = null;
let wanted = false;
let attempt = 0;
let opened = 0;
let timer = 0;
let grace = 0;
let asking = false;
let doubt: () => void = () => undefined;

export function onDoubt(act: () => void): void {
  doubt = act;
}

function send(message: Record<string, Topic[]>): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/**
 * Listens to topics until the answer is called; `null` stands for "fetch anew, something may be new".
 * A topic stays subscribed when nobody listens any more: there are few, and somebody who walks through
 * the pages would otherwise send more wishes than the server grants.
 */
export function listen(topics: readonly Topic[], listener: Listener): () => void {
  const fresh = topics.filter((topic) => !listeners.has(topic));
  for (const topic of topics) listeners.set(topic, (listeners.get(topic) ?? new Set()).add(listener));
  if (fresh.length) send({ subscribe: fresh });
  return () => {
    for (const topic of topics) listeners.get(topic)?.delete(listener);
    const idle = topics.filter((topic) => TALKATIVE.has(topic) && !listeners.get(topic)?.size);
    for (const topic of idle) listeners.delete(topic);
    if (idle.length) send({ unsubscribe: idle });
  };
}

function tell(topics: readonly Topic[], event: LiveEvent | null): void {
  const told = new Set(topics.flatMap((topic) => [...(listeners.get(topic) ?? [])]));
  for (const listener of told) listener(event);
}

function hear(text: string): void {
  const message = JSON.parse(text) as Told;
  if (message.dropped || message.gap) epoch.value += 1;
  // What changed between our first fetch and this moment reached nobody.
  else if (message.subscribed) {
    granted.value = new Set([...granted.value, ...message.subscribed]);
    tell(message.subscribed, null);
  }
  else if (message.topic && message.event) tell([message.topic], message as LiveEvent);
}

function connect(): void {
  clearTimeout(timer);
  if (!wanted || socket) return;
  const address = new URL(`${BASE}/live`, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(address);
  socket = mine;
  mine.onopen = () => {
    clearTimeout(grace);
    grace = 0;
    attempt = 0;
    opened += 1;
    connected.value = true;
    paused.value = false;
    reachable.value = true;
    if (listeners.size) send({ subscribe: [...listeners.keys()] });
    if (opened > 1) epoch.value += 1;
  };
  mine.onmessage = (event) => hear(String(event.data));
  mine.onclose = ({ code }) => {
    if (socket !== mine) return;
    socket = null;
    connected.value = false;
    // A refused handshake looks like any other failure: after a few of them we ask who we are.
    if (wanted && (code === SIGNED_OUT || attempt === 3)) doubt();
    if (wanted) again();
  };
}

function again(): void {
  grace ||= window.setTimeout(() => (paused.value = wanted && !connected.value), 3000);
  if (attempt > 0) void look();
  const wait = Math.min(15_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
  attempt += 1;
  clearTimeout(timer);
  timer = window.setTimeout(connect, wait);
}

/** Asks whether anybody is at home, until somebody is; then everything is fetched anew. */
async function look(): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    for (let wait = 1000; !(await alive()); wait = Math.min(wait * 1.6, 8000)) {
      reachable.value = false;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    if (!reachable.value) {
      reachable.value = true;
      epoch.value += 1;
      hurry();
    }
  } finally {
    asking = false;
  }
}

export function hurry(): void {
  attempt = 0;
  if (!socket) connect();
}

export function goLive(): void {
  wanted = true;
  opened = 0;
  hurry();
}

export function stopLive(): void {
  wanted = false;
  clearTimeout(timer);
  clearTimeout(grace);
  grace = 0;
  paused.value = false;
  connected.value = false;
  socket?.close();
  socket = null;
}

export function watchConnection(): void {
  reachable.subscribe((is) => {
    if (!is) void look();
  });
  window.addEventListener("online", () => {
    online.value = true;
    hurry();
  });
  window.addEventListener("offline", () => (online.value = false));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && wanted && !connected.value) hurry();
  });
}
