// What the tab is called; a page that knows more than its route says so.
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { session } from "./session.ts";

const page = signal("");

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title) page.value = title;
  }, [title]);
}

export function startTitles(unread: () => number): void {
  effect(() => {
    const waiting = unread();
    const house = session.value?.community || "Holdfast";
    document.title = `${waiting ? `(${waiting}) ` : ""}${page.value ? `${page.value} · ` : ""}${house}`;
  });
}
