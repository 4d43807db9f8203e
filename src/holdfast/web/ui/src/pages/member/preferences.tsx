// Where a member wants to hear of what, by the role in which it concerns them.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Preferences, Sinks } from "../../model.ts";
import { Button, Panel, Problem } from "../../parts/basics.tsx";
import { Check, Form, Input } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";
import type { MemberProps } from "../member.tsx";

const ROLES: [keyof Preferences, string, string][] = [
  ["as_uploader", "As uploader", "of what you have shared"],
  ["as_snatcher", "As snatcher", "of what you have fetched"],
];
const SINKS: [keyof Sinks, string][] = [["page", "Page"], ["email", "E-mail"], ["webhook", "Webhook"]];

export function PreferencesPanel({ member, changed }: MemberProps) {
  const shown = member.preferences;
  const save = useAction(async (preferences: Preferences) => {
    changed(await api.changeMember(member.id, { preferences }));
  });
  if (!shown) return null;
  const turn = (role: keyof Preferences, sink: keyof Sinks) => (on: boolean) =>
    void save.run({ ...shown, [role]: { ...shown[role], [sink]: on } });
  return (
    <Panel title="Notices by" id="preferences">
      <Problem error={save.error} />
      <table class="grid">
        <thead>
          <tr>
            <th scope="col"><span class="unseen">Role</span></th>
            {SINKS.map(([sink, name]) => <th key={sink} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {ROLES.map(([role, name, of]) => (
            <tr key={role}>
              <th scope="row">{name}<span class="field-hint">{of}</span></th>
              {SINKS.map(([sink, door]) => (
                <td key={sink}>
                  <Check shy label={`${name}: ${door}`} checked={shown[role][sink]} disabled={save.busy} onChange={turn(role, sink)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Address key={member.email} member={member} changed={changed} />
    </Panel>
  );
}

function Address({ member, changed }: MemberProps) {
  const [email, setEmail] = useState(member.email ?? "");
  const save = useAction(async () => {
    changed(await api.changeMember(member.id, { email: email.trim() }));
    say("Saved.");
  });
  return (
    <Form onSend={() => void save.run()} label="E-mail address">
      <Problem beside={["email"]} error={save.error} />
      <Input label="E-mail" name="email" type="email" autoComplete="email" value={email} onInput={setEmail} hint="Without an address, notices by e-mail are not sent." error={save.error} />
      {email.trim() !== (member.email ?? "") && <div class="acts"><Button kind="main" type="submit" busy={save.busy}>Save the address</Button></div>}
    </Form>
  );
}
