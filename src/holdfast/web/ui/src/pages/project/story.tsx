// What became of one item, however long ago: who had it, why it came back, who brought it home.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { bytes } from "../../format.ts";
import type { ItemHistory } from "../../model.ts";
import { Badge, Button, Panel, Problem, Time } from "../../parts/basics.tsx";
import { Input } from "../../parts/form.tsx";
import { useAction } from "../../resource.ts";

export function Story({ slug }: { slug: string }) {
  const [name, setName] = useState("");
  const [found, setFound] = useState<ItemHistory | null>(null);
  const look = useAction(async () => {
    setFound(null);
    setFound(await api.item(slug, name.trim()));
  });
  return (
    <Panel title="The story of an item" id="story">
      <form class="mine" onSubmit={(event) => {
        event.preventDefault();
        void look.run();
      }}>
        <Input label="Item" name="name" value={name} onInput={setName} required />
        <Button type="submit" busy={look.busy}>Look it up</Button>
      </form>
      <Problem error={look.error} />
      {found && <Told of={found} />}
    </Panel>
  );
}

function Told({ of }: { of: ItemHistory }) {
  return (
    <ol class="lines" aria-label={`The story of ${of.item}`}>
      {of.attempts.map((one) => (
        <li key={`${one.at} ${one.name}`} class="line">
          <p class="breakable"><Badge tone="warm">{one.what}</Badge> by <Volunteer name={one.name} /> <span class="faint mono">{one.address}</span>{one.why && <>: {one.why}</>}</p>
          <Time at={one.at} />
        </li>
      ))}
      {of.report && <Report of={of.report} />}
      {of.where !== "done" && (
        <li class="line"><p><Badge tone={of.where === "failed" ? "bad" : "sea"}>{of.where ?? "not here"}</Badge> {of.holder ? <>with <Volunteer name={of.holder.name} /> <span class="faint mono">{of.holder.address}</span></> : of.where === "todo" ? "waits for somebody" : null}</p></li>
      )}
      {of.where === "done" && !of.report && <li class="line"><p><Badge tone="good">done</Badge> {of.line === null ? "its report is not in the records, or not yet" : `by line ${of.line} of the log, which lies elsewhere`}</p></li>}
    </ol>
  );
}

function Report({ of }: { of: Record<string, unknown> }) {
  const sizes = Object.entries((of.bytes ?? {}) as Record<string, number>);
  return (
    <li class="line">
      <p class="breakable"><Badge tone="good">done</Badge> by <Volunteer name={String(of.by)} /> <span class="faint mono">{String(of.ip ?? "")}</span>: {sizes.map(([name, size]) => `${bytes(size)} ${name}`).join(", ") || "nothing counted"}</p>
      {typeof of.at === "number" && <Time at={of.at} />}
    </li>
  );
}

function Volunteer({ name }: { name: string }) {
  return <a href={`/volunteers/${encodeURIComponent(name)}`}>{name}</a>;
}
