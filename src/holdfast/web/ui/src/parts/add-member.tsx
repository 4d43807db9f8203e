// Invites somebody: a name and roles go in, a one-time link and a passkey come out, shown once.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import type { NewMember, Role } from "../model.ts";
import { useAction } from "../resource.ts";
import { Button, Copyable, Problem } from "./basics.tsx";
import { Dialog } from "./dialog.tsx";
import { Check, Form, Input } from "./form.tsx";

export function AddMember({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewMember | null>(null);
  if (made) return <Handover member={made} onClose={onClose} onNext={() => setMade(null)} />;
  return <Ask onClose={onClose} onMade={setMade} />;
}

function Ask({ onClose, onMade }: { onClose: () => void; onMade: (member: NewMember) => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [roles, setRoles] = useState<Role[]>(["member"]);
  const [leech, setLeech] = useState(true);
  const add = useAction(async () => {
    const body = { name: name.trim(), roles, may_leech: leech, ...(email.trim() ? { email: email.trim() } : {}) };
    const made = await api.addMember(body);
    onMade({ ...made, sign_in_link: made.sign_in_link ?? (await api.signInLink(made.id)).sign_in_link });
  });
  const hold = (role: Role) => (on: boolean) => setRoles((now) => (on ? [...now, role] : now.filter((one) => one !== role)));
  return (
    <Dialog title="Add a member" onClose={onClose}>
      <Form onSend={() => void add.run()}>
        <Problem beside={["name", "email"]} error={add.error} />
        <Input label="Name" name="name" value={name} onInput={setName} required maxLength={64} error={add.error} />
        <Input label="E-mail" name="email" type="email" value={email} onInput={setEmail} hint="Only for notices, and only if they want them there." error={add.error} />
        <fieldset class="group">
          <legend>Rights</legend>
          <Check label="May leech" hint="May fetch from others; without it, only seed." checked={leech} onChange={setLeech} />
          <Check label="Moderator" hint="Removes uploads, reads the audit." checked={roles.includes("moderator")} onChange={hold("moderator")} />
          <Check label="Operator" hint="Everything: members, points, settings." checked={roles.includes("operator")} onChange={hold("operator")} />
        </fieldset>
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={add.busy}>Add {name.trim() || "the member"}</Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Handover({ member, onClose, onNext }: { member: NewMember; onClose: () => void; onNext: () => void }) {
  return (
    <Dialog title={`${member.name} is in`} onClose={onClose} firm>
      <p>Hand these over now, by a way you trust: <strong>they are shown this once.</strong></p>
      {member.sign_in_link && (
        <div class="handover">
          <h3>One-time sign-in link</h3>
          <Copyable label="Sign-in link" value={member.sign_in_link} />
        </div>
      )}
      <div class="handover">
        <h3>Passkey for the BitTorrent client</h3>
        <Copyable label="Passkey" value={member.passkey} />
      </div>
      <div class="handover">
        <h3>Announce address</h3>
        <Copyable label="Announce address" value={member.announce_url} />
      </div>
      <footer class="dialog-acts">
        <Button onClick={onNext}>Add another</Button>
        <a class="button" href={`/members/${member.id}`} onClick={onClose}>Their page</a>
        <Button kind="main" onClick={onClose}>Done</Button>
      </footer>
    </Dialog>
  );
}
