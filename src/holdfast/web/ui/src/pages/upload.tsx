// One upload: what it is, who holds it, how to fetch it, and, when it had to go, what is left of it.
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { plural } from "../format.ts";
import type { Upload } from "../model.ts";
import { Badge, Button, Copyable, Count, Fact, Facts, MemberLink, PageHead, Panel, Problem, Size, Skeleton, Time } from "../parts/basics.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Files } from "../parts/files.tsx";
import { Form, Input, Select, TextArea } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { say } from "../parts/said.tsx";
import { ShareFields, SHARE_FIELDS, wishOf } from "../parts/shares.tsx";
import { useAction, useResource } from "../resource.ts";
import type { PageProps } from "../routes.tsx";
import { may } from "../session.ts";
import { changed, spellShares, usual } from "../shares.ts";
import { useTitle } from "../title.ts";
import { Participants } from "./upload/participants.tsx";
import { Peers, useSwarm, Water } from "./upload/swarm.tsx";

export function UploadPage({ params }: PageProps) {
  const id = params.id ?? "";
  const view = useResource(`upload ${id}`, () => api.upload(id), {
    topics: ["uploads"],
    relevant: ({ data }) => String(data.id ?? data.upload_id ?? id) === id,
  });
  const { data, error } = view;
  useTitle(data?.name);
  if (!data) {
    return (
      <>
        <PageHead title="Upload" />
        {error ? (
          <Problem error={error}><p><a href="/uploads">All uploads</a></p></Problem>
        ) : <Skeleton rows={4} kind="block" />}
      </>
    );
  }
  return <Shown upload={data} changed={view.set} error={error} />;
}

type ShownProps = { upload: Upload; changed: (upload: Upload) => void; error: Parameters<typeof Problem>[0]["error"] };

function Shown({ upload, changed, error }: ShownProps) {
  const [asking, setAsking] = useState<"removal" | "change" | null>(null);
  const swarm = useSwarm(upload);
  const gone = upload.removed !== null;
  const close = () => setAsking(null);
  return (
    <article class={gone ? "upload upload-gone" : "upload"}>
      <PageHead title={upload.name} note={<>shared by <MemberLink who={upload.uploader} /> <Time at={upload.created} /> in {upload.category.name}</>}>
        {!gone && <a class="button button-main" href={api.torrentAddress(upload.id)} download><Icon name="down" size={18} />Fetch the torrent</a>}
        {!gone && may("moderator") && <Button onClick={() => setAsking("change")}>Change…</Button>}
        {!gone && may("moderator") && <Button kind="danger" icon="trash" onClick={() => setAsking("removal")}>Remove…</Button>}
      </PageHead>
      <Problem error={error} />
      {gone && <Tombstone upload={upload} />}
      <Water upload={upload} view={swarm} />
      <Facts>
        <Fact name="Size"><Size of={upload.size} /></Fact>
        <Fact name="Files"><Count of={upload.file_count} /></Fact>
        <Fact name="Pieces"><span><Count of={upload.piece_count} /> of <Size of={upload.piece_length} /></span></Fact>
        <Fact name="Last announce"><Time at={upload.last_action} /></Fact>
        <Fact name="Worth">{plural(upload.category.points, "point")}</Fact>
        {!usual(upload) && <Fact name="Credited"><Badge tone={upload.multi_down < 1 ? "good" : "warm"}>{spellShares(upload)}</Badge></Fact>}
        <Fact name="Private">{upload.private ? "yes" : "no"}</Fact>
        <Fact name="Source">{upload.source ?? <span class="faint">none</span>}</Fact>
        {upload.comment && <Fact name="Comment" wide><span class="prose">{upload.comment}</span></Fact>}
        {upload.info_hash_v1 && <Fact name="Info hash v1" wide><Copyable label="Info hash v1" value={upload.info_hash_v1} /></Fact>}
        {upload.info_hash_v2 && <Fact name="Info hash v2" wide><Copyable label="Info hash v2" value={upload.info_hash_v2} /></Fact>}
      </Facts>
      <Peers view={swarm} />
      <Panel title={upload.file_count === 1 ? "The file" : plural(upload.file_count, "file")} id="files">
        <Files upload={upload} />
      </Panel>
      {may("moderator") && <Participants upload={upload} />}
      {asking === "removal" && <Remove upload={upload} onClose={close} onDone={changed} />}
      {asking === "change" && <Change upload={upload} onClose={close} onDone={changed} />}
    </article>
  );
}

function Tombstone({ upload }: { upload: Upload }) {
  const removed = upload.removed;
  if (!removed) return null;
  return (
    <div class="tombstone" role="note" aria-label="Removed">
      <svg viewBox="0 0 64 64" width="64" height="64" aria-hidden="true">
        <path class="stone" d="M12 60V28a20 20 0 0 1 40 0v32z" />
        <path class="carving" d="M32 50c0-8-5-10-3-18s-1-8 2-12M30 38c-6 1-9-1-11-6 6-1 9 1 11 6zM31 30c5 1 9-1 11-5-5-2-9 0-11 5z" />
        <path class="stone-foot" d="M4 60h56" />
      </svg>
      <div>
        <p class="tombstone-head"><Badge tone="bad">removed</Badge> <Time at={removed.at} />{removed.by && <> by <MemberLink who={removed.by} /></>}</p>
        <p class="tombstone-why">{removed.reason}</p>
      </div>
    </div>
  );
}

type ActProps = { upload: Upload; onClose: () => void; onDone: (upload: Upload) => void };

function Remove({ upload, onClose, onDone }: ActProps) {
  const [reason, setReason] = useState("");
  const remove = useAction(async () => {
    onDone(await api.removeUpload(upload.id, reason.trim()));
    say("Removed. The record of it stays.");
    onClose();
  });
  return (
    <Dialog title="Remove this upload?" onClose={onClose}>
      <Form onSend={() => void remove.run()}>
        <p><strong class="breakable">{upload.name}</strong> leaves the tracker at once: clients are refused, and nobody can fetch its torrent. Its record and your reason stay.</p>
        <Problem beside={["reason"]} error={remove.error} />
        <TextArea label="Reason" name="reason" value={reason} onInput={setReason} required hint="The uploader is told, and it stays on this page for everybody to read." error={remove.error} />
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={remove.busy}>Remove the upload</Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Change({ upload, onClose, onDone }: ActProps) {
  const [name, setName] = useState(upload.name);
  const [category, setCategory] = useState(upload.category.name);
  const [wish, setWish] = useState(() => wishOf(upload));
  const categories = useResource("categories", api.categories).data?.items ?? [upload.category];
  const save = useAction(async () => {
    onDone(await api.changeUpload(upload.id, { name: name.trim(), category, ...changed(upload, wish.up, wish.down, wish.reason) }));
    say("Saved.");
    onClose();
  });
  return (
    <Dialog title="Change this upload" onClose={onClose}>
      <Form onSend={() => void save.run()}>
        <Problem beside={["name", "category", ...SHARE_FIELDS]} error={save.error} />
        <Input label="Name" name="name" value={name} onInput={setName} required error={save.error} />
        <Select label="Category" name="category" value={category} onInput={setCategory} error={save.error} choices={categories.map((one) => ({ value: one.name, label: one.name }))} />
        {may("operator") && <ShareFields before={upload} wish={wish} onInput={setWish} error={save.error} />}
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={save.busy}>Save</Button>
        </footer>
      </Form>
    </Dialog>
  );
}
