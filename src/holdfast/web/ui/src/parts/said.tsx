// Short words on what just happened: shown at the edge, read out by screen readers, gone by themselves.
import { signal } from "@preact/signals";

const said = signal<{ text: string; turn: number } | null>(null);
let timer = 0;
let turn = 0;

export function say(text: string): void {
  clearTimeout(timer);
  turn += 1;
  said.value = { text, turn };
  timer = window.setTimeout(() => (said.value = null), 6000);
}

export function Said() {
  return (
    <div class="said" role="status" aria-live="polite">
      {said.value && <p key={said.value.turn}>{said.value.text}</p>}
    </div>
  );
}
