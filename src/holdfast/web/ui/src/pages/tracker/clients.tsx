// Which BitTorrent clients may take part.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { ClientRule } from "../../model.ts";
import { Button, Panel, Problem } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Form, Input } from "../../parts/form.tsx";
import { ListView } from "../../parts/table.tsx";
import { useAction, useList } from "../../resource.ts";
import { may } from "../../session.ts";

export function ClientsPanel() {
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<ClientRule | null>(null);
  const list = useList("whitelist", (cursor, limit) => api.whitelist({ cursor, limit }), { topics: ["audit"] });
  const crew = may("operator");
  return (
    <Panel title="Allowed clients" id="clients" aside={crew && <Button icon="add" onClick={() => setAdding(true)}>Allow a client</Button>}>
      <ListView list={list} one="client" rows={1} empty={<p class="faint">The list is empty, so every client may, unless <code>catalogue.require_whitelist</code> says otherwise.</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((one) => (
              <li key={one.prefix} class="line">
                <p class="breakable">{one.name} <code>{one.prefix}</code></p>
                {crew && <Button kind="quiet" label={`Take ${one.name} off the list`} onClick={() => setLeaving(one)}>Take off</Button>}
              </li>
            ))}
          </ul>
        )}
      </ListView>
      {adding && <Allow onClose={() => setAdding(false)} onDone={() => void list.reload()} />}
      {leaving && (
        <Confirm title={`Take ${leaving.name} off the list?`} act="Take it off" danger onClose={() => setLeaving(null)}
          onYes={async () => { await api.dropClient(leaving.prefix); await list.reload(); }}>
          <p>Its announces are refused from now on. When the last one leaves the list, every client may take part again.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Allow({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [prefix, setPrefix] = useState("");
  const [name, setName] = useState("");
  const allow = useAction(async () => {
    await api.allowClient(prefix.trim(), name.trim());
    onDone();
    onClose();
  });
  return (
    <Dialog title="Allow a client" onClose={onClose}>
      <Form onSend={() => void allow.run()}>
        <p>As soon as one client stands here, all that do not are refused.</p>
        <Problem beside={["prefix", "name"]} error={allow.error} />
        <Input label="Peer ids begin with" name="prefix" value={prefix} onInput={setPrefix} required maxLength={20} hint="Such as -TR4 for Transmission 4." error={allow.error} />
        <Input label="Name" name="name" value={name} onInput={setName} required error={allow.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={allow.busy}>Allow it</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
