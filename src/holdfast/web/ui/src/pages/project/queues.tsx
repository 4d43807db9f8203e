// Items go into a queue: pasted or from a file, looked at first, then added.
import { useId, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { plural } from "../../format.ts";
import type { Filled, Project } from "../../model.ts";
import { batches, namesIn } from "../../names.ts";
import { Button, Count, Fact, Facts, Panel, Problem } from "../../parts/basics.tsx";
import { Form, Input, Select, TextArea } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";

const AT_ONCE = 10_000;
const PERSONAL = "todo:d:";
const QUEUES = [
  { value: "todo", label: "todo: the usual one" },
  { value: "todo:secondary", label: "todo:secondary, after todo is empty" },
  { value: "todo:redo", label: "todo:redo, after the others are empty" },
  { value: PERSONAL, label: "todo:d:…, for one volunteer alone" },
];

type QueuesProps = { project: Project; onDone: () => void };

export function Queues({ project, onDone }: QueuesProps) {
  const [text, setText] = useState("");
  const [queue, setQueue] = useState("todo");
  const [whose, setWhose] = useState("");
  const [sent, setSent] = useState(0);
  const [seen, setSeen] = useState<Filled | null>(null);
  const names = namesIn(text);
  const place = queue === PERSONAL ? `${PERSONAL}${whose.trim()}` : queue;
  const change = (value: string) => {
    setSeen(null);
    setText(value);
  };
  const send = async (dry_run: boolean) => {
    const sum: Filled = { added: 0, known: 0, refused: [] };
    setSent(0);
    for (const items of batches(names, AT_ONCE)) {
      const found = await api.fill(project.slug, { items, queue: place, dry_run });
      sum.added += found.added;
      sum.known += found.known;
      sum.refused = [...sum.refused, ...found.refused].slice(0, 100);
      setSent((before) => before + items.length);
    }
    return sum;
  };
  const look = useAction(async () => setSeen(await send(true)));
  const add = useAction(async () => {
    const { added } = await send(false);
    say(`${plural(added, "item")} added to ${place}.`);
    change("");
    onDone();
  });
  const busy = look.busy || add.busy;
  return (
    <>
      <Panel title="Where the items are" id="counts">
        <Facts>
          <Fact name="To do"><Count of={project.counts.todo} /></Fact>
          <Fact name="Out with volunteers"><Count of={project.counts.out} /></Fact>
          <Fact name="Done"><Count of={project.counts.done} /></Fact>
          <Fact name="Failed"><Count of={project.counts.failed} /></Fact>
          <Fact name="Added in all"><Count of={project.counts.added} /></Fact>
        </Facts>
      </Panel>
      <Panel title="Add items" id="fill">
        <Form label="Add items" onSend={() => void (seen ? add.run() : look.run())}>
          <Problem beside={["queue"]} error={look.error ?? add.error} />
          <TextArea label="Names" name="items" value={text} onInput={change} rows={8} mono required hint={<>One in a line. They look like <code class="breakable">{project.item_pattern}</code>; what is there already, or was done before, is left out.</>} />
          <FromFile onText={change} />
          <div class="fields">
            <Select label="Queue" name="queue" value={queue} onInput={setQueue} choices={QUEUES} error={look.error ?? add.error} />
            {queue === PERSONAL && <Input label="Volunteer" name="whose" value={whose} onInput={setWhose} required minLength={3} maxLength={30} />}
          </div>
          {busy && names.length > AT_ONCE && <p class="progress"><progress max={names.length} value={sent} aria-label="Sending the names" /><span class="figure">{plural(sent, "name")}</span></p>}
          {seen && <Seen found={seen} />}
          <footer class="dialog-acts">
            {seen && <Button onClick={() => setSeen(null)}>Not yet</Button>}
            {seen
              ? <Button kind="main" type="submit" busy={add.busy} disabled={!seen.added}>{seen.added ? `Add ${plural(seen.added, "item")}` : "Nothing to add"}</Button>
              : <Button kind="main" type="submit" busy={look.busy} disabled={!names.length}>{names.length ? `Look at ${plural(names.length, "name")}` : "Look first"}</Button>}
          </footer>
        </Form>
        <p class="field-hint">For millions, stream a file: <code class="breakable">holdfast items fill {project.slug} names.txt</code></p>
      </Panel>
    </>
  );
}

function Seen({ found }: { found: Filled }) {
  return (
    <div role="status" aria-label="What would happen">
      <p><strong>{plural(found.added, "item")}</strong> new, {found.known ? `${plural(found.known, "name")} known already` : "none known already"}{found.refused.length > 0 && <>, <span class="minus">{found.refused.length === 100 ? "a hundred or more" : found.refused.length} refused</span></>}.</p>
      {found.refused.length > 0 && (
        <>
          <p class="faint">Refused, for the project's pattern does not take them whole:</p>
          <ul class="names">{found.refused.map((one) => <li key={one}>{one}</li>)}</ul>
        </>
      )}
    </div>
  );
}

function FromFile({ onText }: { onText: (text: string) => void }) {
  const id = useId();
  const read = useAction(async (file: File) => onText(await file.text()));
  return (
    <div class="field">
      <label for={id}>Or from a file<span class="field-optional"> optional</span></label>
      <input id={id} class="input" type="file" accept=".txt,text/plain" onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        if (file) void read.run(file);
      }} />
      <Problem error={read.error} />
    </div>
  );
}
