// What warriors are told beside the projects.
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Headquarters } from "../../model.ts";
import { Button, Fact, Facts, Panel, Problem, Skeleton } from "../../parts/basics.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, Input, TextArea } from "../../parts/form.tsx";
import { say } from "../../parts/said.tsx";
import { useAction, useResource } from "../../resource.ts";

export function HeadquartersPanel() {
  const [changing, setChanging] = useState(false);
  const { data, error, set } = useResource("headquarters", api.headquarters, { topics: ["audit"] });
  return (
    <Panel title="Warriors" id="warriors" aside={data && <Button onClick={() => setChanging(true)}>Change…</Button>}>
      <Problem error={error} />
      {!data ? !error && <Skeleton rows={1} /> : (
        <Facts>
          <Fact name="Our choice">{data.auto_project ? <a href={`/projects/${data.auto_project}`}>{data.auto_project}</a> : "by weight"}</Fact>
          <Fact name="Least version of seesaw">{data.seesaw_version}</Fact>
          <Fact name="Headquarters" wide><code class="breakable">{location.origin}/api/</code></Fact>
          {data.broadcast_message && <Fact name="They read" wide><span class="prose">{data.broadcast_message}</span></Fact>}
        </Facts>
      )}
      {changing && data && <Change headquarters={data} onClose={() => setChanging(false)} onDone={set} />}
    </Panel>
  );
}

type ChangeProps = { headquarters: Headquarters; onClose: () => void; onDone: (headquarters: Headquarters) => void };

function Change({ headquarters, onClose, onDone }: ChangeProps) {
  const [wish, setWish] = useState(headquarters);
  const save = useAction(async () => {
    onDone(await api.changeHeadquarters(wish));
    say("Saved.");
    onClose();
  });
  return (
    <Dialog title="What warriors are told" onClose={onClose}>
      <Form onSend={() => void save.run()}>
        <Problem beside={["auto_project", "seesaw_version", "broadcast_message"]} error={save.error} />
        <Input label="Our choice" name="auto_project" value={wish.auto_project} onInput={(auto_project) => setWish({ ...wish, auto_project })} maxLength={63} hint="A project's slug, for warriors that leave the choice to us. Empty: by the weights of the projects." error={save.error} />
        <Input label="Least version of seesaw" name="seesaw_version" value={wish.seesaw_version} onInput={(seesaw_version) => setWish({ ...wish, seesaw_version })} required maxLength={32} hint="Warriors with an older one start anew to get it." error={save.error} />
        <TextArea label="They read" name="broadcast_message" value={wish.broadcast_message} onInput={(broadcast_message) => setWish({ ...wish, broadcast_message })} maxLength={4096} hint="Stands in every warrior." error={save.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={save.busy}>Save</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
