// How much is given out.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { ItemLimits, Project } from "../../model.ts";
import { Button, Panel, Problem, Skeleton } from "../../parts/basics.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction, useResource } from "../../resource.ts";

export function Limits({ project }: { project: Project }) {
  const view = useResource(`limits ${project.slug}`, () => api.limits(project.slug), { every: 15 });
  return (
    <Panel title="Limits" id="limits">
      <Problem error={view.error} />
      {view.data ? <Set key={JSON.stringify(view.data)} slug={project.slug} limits={view.data} onDone={view.set} /> : <Skeleton rows={2} />}
      <p class="field-hint">Every change is in the <a href={`/audit?action=project.limit&target_id=${encodeURIComponent(project.slug)}`}>audit</a>.</p>
    </Panel>
  );
}

const spelled = (value: number | null) => (value === null ? "" : String(value));
const read = (value: string) => (value.trim() === "" ? null : Number(value));

function Set({ slug, limits, onDone }: { slug: string; limits: ItemLimits; onDone: (limits: ItemLimits) => void }) {
  const [perMinute, setPerMinute] = useState(spelled(limits.per_minute));
  const [each, setEach] = useState(spelled(limits.each));
  const save = useAction(async () => {
    onDone(await api.setLimits(slug, { per_minute: read(perMinute), each: read(each) }));
    say("Holds from now on.");
  });
  return (
    <Form label="Limits" onSend={() => void save.run()}>
      {limits.monitor !== null && <p class="hint-line">A monitor of the site has set {limits.monitor} a minute; the smaller of the two holds.</p>}
      {limits.per_minute === 0 && <p class="hint-line">Nothing is given out: the limit is 0.</p>}
      <Problem beside={["per_minute", "each"]} error={save.error} />
      <div class="fields">
        <Input label="Items a minute" name="per_minute" type="number" min={0} value={perMinute} onInput={setPerMinute} hint="0: nothing is given out. Empty: as many as are asked for." error={save.error} />
        <Input label="One volunteer may hold" name="each" type="number" min={0} value={each} onInput={setEach} hint="Claims at once. Empty: any number." error={save.error} />
      </div>
      <footer class="dialog-acts"><Button kind="main" type="submit" busy={save.busy}>Set them</Button></footer>
    </Form>
  );
}
