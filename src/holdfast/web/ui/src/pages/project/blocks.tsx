// Who gets no items, why, and for how long.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { ItemBlock, Project } from "../../model.ts";
import { Badge, Button, Panel, Problem, Time } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Check, Form, Input } from "../../parts/form.tsx";
import { ListView } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";

export function Blocks({ project }: { project: Project }) {
  const [adding, setAdding] = useState(false);
  const [lifting, setLifting] = useState<ItemBlock | null>(null);
  const list = useList(`blocks ${project.slug}`, (cursor, limit) => api.blocks(project.slug, { cursor, limit }), { topics: ["audit"] });
  return (
    <Panel title="Blocked" id="blocks" aside={<Button icon="add" onClick={() => setAdding(true)}>Block somebody</Button>}>
      <ListView list={list} one="block" rows={2} empty={<p class="faint">Nobody is. Whoever is blocked gets no items; what they still bring home counts.</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((one) => (
              <li key={one.id} class="line">
                <div>
                  <p class="breakable"><strong class="mono">{one.whom}</strong> {one.project === null && <Badge tone="warm">in every project</Badge>}</p>
                  <p class="breakable">{one.reason}</p>
                  <p class="faint">by {one.by} <Time at={one.at} />, {one.until === null ? "for good" : <>ends <Time at={one.until} /></>}</p>
                </div>
                <Button kind="quiet" label={`Lift the block of ${one.whom}`} onClick={() => setLifting(one)}>Lift</Button>
              </li>
            ))}
          </ul>
        )}
      </ListView>
      {adding && <Add project={project} onClose={() => setAdding(false)} onDone={() => void list.reload()} />}
      {lifting && (
        <Confirm title="Lift this block?" act="Lift it" onClose={() => setLifting(null)}
          onYes={async () => { await api.unblock(lifting.id); await list.reload(); }}>
          <p><strong class="breakable">{lifting.whom}</strong> gets items again{lifting.project === null && ", in every project"}.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Add({ project, onClose, onDone }: { project: Project; onClose: () => void; onDone: () => void }) {
  const [whom, setWhom] = useState("");
  const [reason, setReason] = useState("");
  const [hours, setHours] = useState("");
  const [everywhere, setEverywhere] = useState(false);
  const block = useAction(async () => {
    const until = hours ? Date.now() / 1000 + Number(hours) * 3600 : null;
    await api.block({ whom: whom.trim(), reason: reason.trim(), project: everywhere ? null : project.slug, until });
    onDone();
    onClose();
  });
  return (
    <Dialog title="Block somebody" onClose={onClose}>
      <Form onSend={() => void block.run()}>
        <Problem beside={["whom", "reason", "until"]} error={block.error} />
        <Input label="Whom" name="whom" value={whom} onInput={setWhom} required maxLength={64} hint="A volunteer's name, an address, or a network such as 192.0.2.0/24." error={block.error} />
        <Input label="Reason" name="reason" value={reason} onInput={setReason} required maxLength={200} hint="For the rest of the staff." error={block.error} />
        <Input label="Hours" name="until" type="number" min={0.1} step={0.1} value={hours} onInput={setHours} hint="Empty: for good." error={block.error} />
        <Check label="In every project" checked={everywhere} onChange={setEverywhere} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={block.busy}>Block them</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
