// What a page shows of the server: fetched once, kept for the way back, renewed when it may have changed.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { connected, epoch, listen, type LiveEvent, POLL_SECONDS, type Topic } from "./live.ts";
import type { Page } from "./model.ts";

const KEPT = 80;
const kept = new Map<string, unknown>();

function keep(key: string, value: unknown): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
}

/** Nothing of one member's view may be seen by the next. */
export function forget(): void {
  kept.clear();
}

export type Renewal = {
  topics?: readonly Topic[];
  relevant?: (event: LiveEvent) => boolean;
  /** Seconds between fetches even while live: for figures that change without an event. */
  every?: number;
};

export type Resource<T> = {
  data: T | undefined;
  error: ApiError | undefined;
  busy: boolean;
  reload: () => Promise<void>;
  set: (value: T) => void;
};

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(-1, `This page stumbled: ${String(error)}`);
}

type Slot<T> = { key: string; data?: T | undefined; error?: ApiError | undefined };

/** `load` gets what is shown at present, so that a list can be renewed in the length it has grown to. */
export function useResource<T>(
  key: string,
  load: (shown: T | undefined) => Promise<T>,
  renewal: Renewal = {},
): Resource<T> {
  const [slot, setSlot] = useState<Slot<T>>(() => ({ key, data: kept.get(key) as T | undefined }));
  const [busy, setBusy] = useState(false);
  /** Fetches are numbered as they begin; an answer is shown unless a younger one, or something newer, is. */
  const begun = useRef(0);
  const shown = useRef(0);
  const latest = useRef({ key, load, renewal });
  latest.current = { key, load, renewal };

  const outdate = () => {
    shown.current = begun.current += 1;
  };

  const set = useCallback((data: T) => {
    outdate(); // a fetch that is under way knows less than this
    setBusy(false);
    keep(latest.current.key, data);
    setSlot({ key: latest.current.key, data });
  }, []);

  const reload = useCallback(async () => {
    const mine = (begun.current += 1);
    const wanted = latest.current.key;
    const show = (slot: (before: Slot<T>) => Slot<T>) => {
      if (mine <= shown.current) return;
      shown.current = mine;
      setSlot(slot);
    };
    setBusy(true);
    try {
      const data = await latest.current.load(kept.get(wanted) as T | undefined);
      if (mine > shown.current) keep(wanted, data);
      show(() => ({ key: wanted, data }));
    } catch (error) {
      show((before) => ({
        key: wanted,
        data: before.key === wanted ? before.data : (kept.get(wanted) as T | undefined),
        error: asApiError(error),
      }));
    } finally {
      if (mine === begun.current) setBusy(false);
    }
  }, []);

  useEffect(() => {
    void reload();
    return outdate;
  }, [key]);

  useRenewal(renewal, reload);
  const current = slot.key === key;
  return {
    data: current ? slot.data : (kept.get(key) as T | undefined),
    error: current ? slot.error : undefined,
    busy,
    reload,
    set,
  };
}

/** A burst of events is one fetch; a page in the background waits until it is looked at. */
function useRenewal(renewal: Renewal, reload: () => Promise<void>): void {
  const options = useRef(renewal);
  options.current = renewal;
  const topics = renewal.topics?.join(" ") ?? "";
  useEffect(() => {
    let timer = 0;
    let owed = false;
    const soon = () => {
      if (document.visibilityState === "hidden") owed = true;
      else
        timer ||= window.setTimeout(() => {
          timer = 0;
          void reload();
        }, 150);
    };
    const shown = () => {
      if (owed && document.visibilityState === "visible") {
        owed = false;
        soon();
      }
    };
    const heard = (event: LiveEvent | null) => {
      if (!event || options.current.relevant?.(event) !== false) soon();
    };
    const stop = topics ? listen(topics.split(" ") as Topic[], heard) : () => undefined;
    let first = true;
    const quit = epoch.subscribe(() => {
      if (!first) soon();
      first = false;
    });
    document.addEventListener("visibilitychange", shown);
    const seconds = options.current.every ?? POLL_SECONDS;
    const poll = window.setInterval(() => {
      if (options.current.every || !connected.value) soon();
    }, seconds * 1000);
    return () => {
      stop();
      quit();
      clearTimeout(timer);
      clearInterval(poll);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [topics, renewal.every]);
}

export type List<T> = Resource<Page<T>> & { more: () => Promise<void>; growing: boolean };

type Fetch<T> = (cursor: string | null, limit: number) => Promise<Page<T>>;
const LIMIT = 50;
const MOST = 200;

/** As many items as were shown before, however many pages that takes. */
async function upTo<T>(fetch: Fetch<T>, count: number): Promise<Page<T>> {
  let page = await fetch(null, Math.min(MOST, Math.max(LIMIT, count)));
  while (page.next && page.items.length < count) {
    const further = await fetch(page.next, MOST);
    page = { ...further, items: [...page.items, ...further.items] };
  }
  return page;
}

export function useList<T>(key: string, fetch: Fetch<T>, renewal: Renewal = {}): List<T> {
  const [growing, setGrowing] = useState(false);
  const resource = useResource<Page<T>>(key, (shown) => upTo(fetch, shown?.items.length ?? LIMIT), renewal);
  const { data, set } = resource;
  const more = async () => {
    if (!data?.next || growing) return;
    setGrowing(true);
    try {
      const further = await fetch(data.next, MOST);
      set({ ...further, items: [...data.items, ...further.items] });
    } catch {
      await resource.reload(); // shows the same problem where the list shows its problems
    } finally {
      setGrowing(false);
    }
  };
  return { ...resource, more, growing };
}

export type Action<A extends unknown[]> = {
  run: (...args: A) => Promise<boolean>;
  busy: boolean;
  error: ApiError | undefined;
  clear: () => void;
};

/** Something a person sets off: busy while it runs, its problem shown where it was set off. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ busy: boolean; error?: ApiError | undefined }>({ busy: false });
  const busy = useRef(false);
  const run = async (...args: A) => {
    if (busy.current) return false;
    busy.current = true;
    setState({ busy: true });
    try {
      await act(...args);
      setState({ busy: false });
      return true;
    } catch (error) {
      setState({ busy: false, error: asApiError(error) });
      return false;
    } finally {
      busy.current = false;
    }
  };
  return { run, busy: state.busy, error: state.error, clear: () => setState({ busy: false }) };
}
