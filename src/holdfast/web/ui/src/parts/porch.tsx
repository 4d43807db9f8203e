// The look of the pages one sees before being inside.
import type { ComponentChildren } from "preact";
import { Sign } from "./icon.tsx";
import { Depths, Surface } from "./kelp.tsx";
import { ThemeButton } from "./shell.tsx";

export function Porch({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) {
  return (
    <div class="porch">
      <Surface />
      <Depths />
      <div class="porch-theme"><ThemeButton /></div>
      <section class="porch-card">
        <div class="porch-house"><Sign size={44} /><span class="house-name">Holdfast</span></div>
        <h1 tabIndex={-1}>{title}</h1>
        {note && <p class="page-note">{note}</p>}
        {children}
      </section>
    </div>
  );
}
