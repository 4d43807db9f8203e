// How many notices wait to be read: the header, the tab and the inbox agree on it.
import { signal } from "@preact/signals";

export const unread = signal(0);
