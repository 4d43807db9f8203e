// The key in a member's announce address: shown when asked for, changed when it got about.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Member, Passkey } from "../../model.ts";
import { Button, Copyable, Panel, Problem } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { say } from "../../parts/said.tsx";
import { useAction } from "../../resource.ts";

export function PasskeyPanel({ member, own }: { member: Member; own: boolean }) {
  const [shown, setShown] = useState<Passkey | null>(null);
  const [asking, setAsking] = useState(false);
  const show = useAction(async () => setShown(await api.passkey(member.id)));
  const rotate = async () => {
    setShown(await api.rotatePasskey(member.id));
    say("The passkey is new; the old one is refused from now on.");
  };
  return (
    <Panel title="Passkey" id="passkey">
      <p class="faint">{own ? "Your BitTorrent client announces with it. Whoever has it counts as you." : "Their BitTorrent client announces with it."}</p>
      <Problem error={show.error} />
      {shown && (
        <>
          <h3>Announce address</h3>
          <Copyable label="Announce address" value={shown.announce_url} />
          <h3>Passkey</h3>
          <Copyable label="Passkey" value={shown.passkey} />
        </>
      )}
      <div class="acts">
        {!shown && <Button icon="key" busy={show.busy} onClick={() => void show.run()}>Show the passkey</Button>}
        <Button kind="danger" onClick={() => setAsking(true)}>Rotate…</Button>
      </div>
      {asking && (
        <Confirm title="Make a new passkey?" act="Rotate the passkey" danger onClose={() => setAsking(false)} onYes={rotate}>
          <p>The old passkey is refused at once. {own ? "Your" : "Their"} torrents stop until each one is fetched anew, or its announce address is changed in the client.</p>
        </Confirm>
      )}
    </Panel>
  );
}
