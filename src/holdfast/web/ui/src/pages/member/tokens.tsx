// Keys for machines: scoped, expiring, their secret shown once.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { type NewToken, type Scope, SCOPES, type Token } from "../../model.ts";
import { Badge, Button, Copyable, Panel, Problem, Skeleton, Time } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Check, Form, Input, Select } from "../../parts/form.tsx";
import { useAction, useResource } from "../../resource.ts";
import { may } from "../../session.ts";

const MEANS: Record<Scope, string> = {
  read: "look at what you may look at",
  write: "change what you may change",
  operate: "what only operators may do",
  metrics: "fetch /metrics",
};
const LIVES = [["30", "30 days"], ["365", "a year"], ["", "until revoked"]] as const;

export function TokensPanel() {
  const { data, error, reload } = useResource("tokens", api.tokens);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<NewToken | null>(null);
  const [leaving, setLeaving] = useState<Token | null>(null);
  return (
    <Panel title="Tokens for machines" id="tokens" aside={<Button icon="add" onClick={() => setAdding(true)}>New token</Button>}>
      <Problem error={error} />
      {!data ? !error && <Skeleton rows={2} /> : data.items.length === 0 ? (
        <p class="faint">None. A script sends one as <code class="breakable">Authorization: Bearer hf_…</code></p>
      ) : (
        <ul class="lines">
          {data.items.map((one) => (
            <li key={one.id} class="line">
              <div>
                <p>{one.name} <span class="badges">{one.scopes.map((scope) => <Badge key={scope}>{scope}</Badge>)}</span></p>
                <p class="faint">made <Time at={one.created} /> · used <Time at={one.last_used} /> · {one.expires ? <>expires <Time at={one.expires} /></> : "does not expire"}</p>
              </div>
              <Button kind="quiet" label={`Revoke ${one.name}`} onClick={() => setLeaving(one)}>Revoke</Button>
            </li>
          ))}
        </ul>
      )}
      {adding && <AddToken onClose={() => setAdding(false)} onMade={(token) => { setAdding(false); setMade(token); void reload(); }} />}
      {made && (
        <Dialog title={`Token ${made.name}`} onClose={() => setMade(null)} firm>
          <p>Keep it where only your machine reads it: <strong>it is shown this once.</strong></p>
          <Copyable label="Token" value={made.secret} />
          <footer class="dialog-acts"><Button kind="main" onClick={() => setMade(null)}>Done</Button></footer>
        </Dialog>
      )}
      {leaving && (
        <Confirm title={`Revoke ${leaving.name}?`} act="Revoke the token" danger onClose={() => setLeaving(null)}
          onYes={async () => { await api.dropToken(leaving.id); await reload(); }}>
          <p>Whatever uses it is refused from its next request on.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function AddToken({ onClose, onMade }: { onClose: () => void; onMade: (token: NewToken) => void }) {
  const [name, setName] = useState("");
  const [life, setLife] = useState("365");
  const [scopes, setScopes] = useState<Scope[]>(["read"]);
  const add = useAction(async () => {
    const expires = life ? Date.now() / 1000 + Number(life) * 86_400 : null;
    onMade(await api.addToken({ name: name.trim(), scopes, expires }));
  });
  const open = SCOPES.filter((scope) => (scope !== "operate" && scope !== "metrics") || may("operator"));
  return (
    <Dialog title="New token" onClose={onClose}>
      <Form onSend={() => void add.run()}>
        <Problem beside={["name", "expires"]} error={add.error} />
        <Input label="Name" name="name" value={name} onInput={setName} required hint="What will use it." error={add.error} />
        <fieldset class="group">
          <legend>It may</legend>
          {open.map((scope) => (
            <Check key={scope} label={scope} hint={MEANS[scope]} checked={scopes.includes(scope)}
              onChange={(on) => setScopes((now) => (on ? [...now, scope] : now.filter((one) => one !== scope)))} />
          ))}
        </fieldset>
        <Select label="It works" name="expires" value={life} onInput={setLife} choices={LIVES.map(([value, label]) => ({ value, label }))} error={add.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={add.busy} disabled={!scopes.length}>Make the token</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
