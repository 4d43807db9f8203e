// Who sits at the keyboard, and what they may see.
import { batch, computed, signal } from "@preact/signals";
import { api, ApiError, keepCsrf, onSignedOut, stopReading } from "./api.ts";
import { goLive, onDoubt, stopLive } from "./live.ts";
import type { Role, Session } from "./model.ts";
import { say } from "./parts/said.tsx";
import { forget } from "./resource.ts";
import { navigate } from "./router.ts";

/** undefined until we know, null for nobody. */
export const session = signal<Session | null | undefined>(undefined);
export const me = computed(() => session.value?.member);
export const startProblem = signal<ApiError | null>(null);

/** Each role includes the ones before it. */
const RANK: Record<Role, number> = { member: 0, moderator: 1, operator: 2 };

export function may(role: Role): boolean {
  const held = me.value?.roles ?? [];
  return held.some((one) => RANK[one] >= RANK[role]);
}

export function begin(started: Session): void {
  keepCsrf(started.csrf);
  session.value = started;
  hint(true);
  goLive();
}

/** Remembered so that the front door and the boards need not ask about a session that cannot be. */
const HINT = "holdfast.here";
const OPEN = /^\/((sign-in|welcome)\/?$|(projects|volunteers)\/.)/;

function hint(here: boolean): void {
  try {
    if (here) localStorage.setItem(HINT, "1");
    else localStorage.removeItem(HINT);
  } catch {
    // Storage may be forbidden; then the server is asked once more.
  }
}

function surelyNobody(): boolean {
  try {
    return OPEN.test(location.pathname) && localStorage.getItem(HINT) === null;
  } catch {
    return false;
  }
}

export async function whoIsThere(): Promise<void> {
  if (surelyNobody()) {
    session.value = null;
    return;
  }
  try {
    startProblem.value = null;
    begin(await api.session());
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) leave();
    else startProblem.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}

export async function refreshMe(): Promise<void> {
  const current = await api.session();
  keepCsrf(current.csrf);
  session.value = current;
}

function leave(): void {
  keepCsrf("");
  stopLive();
  forget();
  hint(false);
  session.value = null;
}

/** The pages go first, so that none of them asks for something in the name of nobody. */
export async function signOut(): Promise<void> {
  const before = session.value;
  const back = location.href;
  stopLive();
  batch(() => {
    session.value = null;
    navigate("/sign-in");
  });
  stopReading();
  try {
    await api.signOut();
    leave();
  } catch (error) {
    if (!before || (error instanceof ApiError && error.status === 401)) return;
    say("You are still signed in: nobody answered. Try again when Holdfast is back.");
    navigate(back, "replace");
    begin(before);
  }
}

onDoubt(() => void refreshMe().catch(() => undefined)); // a 401 among its problems signs us out

onSignedOut(() => {
  if (session.value) leave();
});

/** Where to go after signing in: only ever a path of our own. */
export function comeBackTo(wanted: string): string {
  return /^\/(?![/\\])/.test(wanted) && !wanted.startsWith("/sign-in") ? wanted : "/";
}
