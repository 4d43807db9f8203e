// What a member may do: the operator's switches.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Role, SignInLink } from "../../model.ts";
import { Button, Copyable, Panel, Problem, Time } from "../../parts/basics.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Check, Form } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { ShareFields, SHARE_FIELDS, wishOf } from "../../parts/shares.tsx";
import { useAction } from "../../resource.ts";
import { me } from "../../session.ts";
import { changed as sharesChanged } from "../../shares.ts";
import type { MemberProps } from "../member.tsx";

export function RightsPanel({ member, changed }: MemberProps) {
  const [asking, setAsking] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [link, setLink] = useState<SignInLink | null>(null);
  const own = member.id === me.value?.id;
  const change = useAction(async (wanted: Parameters<typeof api.changeMember>[1]) => {
    changed(await api.changeMember(member.id, wanted));
    say("Saved.");
  });
  const invite = useAction(async () => setLink(await api.signInLink(member.id)));
  const hold = (role: Role) => (on: boolean) => {
    const roles = member.roles.filter((one) => one !== role);
    void change.run({ roles: on ? [...roles, role] : roles });
  };
  return (
    <Panel title="Rights" id="rights">
      <Problem error={change.error ?? invite.error} />
      <Check label="May leech" hint="May fetch from others; without it, only seed." checked={member.may_leech} disabled={change.busy} onChange={(may_leech) => void change.run({ may_leech })} />
      <Check label="Moderator" hint="Removes uploads, reads the audit." checked={member.roles.includes("moderator")} disabled={change.busy} onChange={hold("moderator")} />
      <Check label="Operator" hint={own ? "You cannot take this from yourself here." : "Everything: members, points, settings."} checked={member.roles.includes("operator")} disabled={change.busy || own} onChange={hold("operator")} />
      <div class="acts">
        <Button icon="link" busy={invite.busy} onClick={() => void invite.run()}>One-time sign-in link</Button>
        <Button onClick={() => setSharing(true)}>What counts…</Button>
        {!own && (member.enabled
          ? <Button kind="danger" onClick={() => setAsking(true)}>Disable…</Button>
          : <Button kind="main" busy={change.busy} onClick={() => void change.run({ enabled: true })}>Enable again</Button>)}
      </div>
      {sharing && <Credit member={member} changed={changed} onClose={() => setSharing(false)} />}
      {asking && (
        <Confirm title={`Disable ${member.name}?`} act={`Disable ${member.name}`} danger onClose={() => setAsking(false)}
          onYes={async () => changed(await api.changeMember(member.id, { enabled: false }))}>
          <p>They can no longer sign in, and their client is refused at its next announce. Nothing of theirs is lost, and you can enable them again.</p>
        </Confirm>
      )}
      {link && (
        <Dialog title="One-time sign-in link" onClose={() => setLink(null)} firm>
          <p>It brings {own ? "you" : member.name} in once, and expires <Time at={link.expires} />. It is shown this once.</p>
          <Copyable label="Sign-in link" value={link.sign_in_link} />
          <footer class="dialog-acts"><Button kind="main" onClick={() => setLink(null)}>Done</Button></footer>
        </Dialog>
      )}
    </Panel>
  );
}

function Credit({ member, changed, onClose }: MemberProps & { onClose: () => void }) {
  const [wish, setWish] = useState(() => wishOf(member));
  const save = useAction(async () => {
    changed(await api.changeMember(member.id, sharesChanged(member, wish.up, wish.down, wish.reason)));
    say("Saved.");
    onClose();
  });
  return (
    <Dialog title={`What of ${member.name}'s traffic counts`} onClose={onClose}>
      <Form onSend={() => void save.run()}>
        <Problem beside={SHARE_FIELDS} error={save.error} />
        <ShareFields before={member} wish={wish} onInput={setWish} error={save.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={save.busy}>Save</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
