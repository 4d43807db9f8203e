// A .torrent becomes an upload: chosen or dropped, sent with its progress, refused with a clear sentence.
import { useId, useRef, useState } from "preact/hooks";
import { sendUpload } from "../api.ts";
import { bytes } from "../format.ts";
import type { Category } from "../model.ts";
import { useAction } from "../resource.ts";
import { navigate } from "../router.ts";
import { may, me } from "../session.ts";
import { Button, Problem } from "./basics.tsx";
import { Dialog } from "./dialog.tsx";
import { DropZone } from "./drop.tsx";
import { Form, Input, Select } from "./form.tsx";
import { Icon } from "./icon.tsx";
import { say } from "./said.tsx";

type AddProps = { file: File | null; categories: Category[]; onClose: () => void };

export function AddUpload({ file: first, categories, onClose }: AddProps) {
  const [file, setFile] = useState(first);
  const [name, setName] = useState("");
  const [by, setBy] = useState(me.value?.name ?? "");
  const [chosen, setCategory] = useState("");
  const category = chosen || (categories[0]?.name ?? "");
  const [share, setShare] = useState(0);
  const send = useAction(async () => {
    if (!file) return;
    setShare(0);
    const made = await sendUpload(
      { file, category, ...(may("operator") ? { by: by.trim() } : {}), ...(name.trim() ? { name: name.trim() } : {}) },
      setShare,
    );
    say(`${made.name} is shared.`);
    onClose();
    navigate(`/uploads/${made.id}`);
  });
  const choose = (chosen: File) => {
    send.clear();
    setFile(chosen);
  };
  const twin = send.error?.body.upload_id;
  return (
    <Dialog title="Add an upload" onClose={onClose}>
      <Form onSend={() => void send.run()}>
        <Problem beside={["name", "category", "by"]} error={send.error}>
          {(typeof twin === "number" || typeof twin === "string") && <p><a href={`/uploads/${twin}`}>See the upload that is there already</a></p>}
        </Problem>
        <Chooser file={file} onFile={choose} />
        <Input label="Name" name="name" value={name} onInput={setName} hint="Empty: as the torrent calls itself." error={send.error} />
        <Select label="Category" name="category" value={category} onInput={setCategory} error={send.error}
          choices={categories.map((one) => ({ value: one.name, label: one.points ? `${one.name} (${one.points} points)` : one.name }))} />
        {may("operator") && <Input label="By" name="by" value={by} onInput={setBy} required hint="The member who shares it." error={send.error} />}
        {send.busy && <Progress share={share} />}
        <p class="field-hint">To make a torrent from a folder: <code class="breakable">holdfast upload add PATH --by {by || "NAME"}</code></p>
        <footer class="dialog-acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" busy={send.busy} disabled={!file}>Share it</Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Chooser({ file, onFile }: { file: File | null; onFile: (file: File) => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <DropZone onFile={onFile}>
      <div class={file ? "chooser chooser-full" : "chooser"}>
        <Icon name={file ? "file" : "up"} size={28} />
        <label for={id}>{file ? <><strong class="breakable">{file.name}</strong> <span class="faint">{bytes(file.size)}</span></> : <>Drop a <code>.torrent</code> here, or choose one</>}</label>
        <input
          id={id}
          ref={input}
          class="chooser-input"
          type="file"
          accept=".torrent,application/x-bittorrent"
          onChange={() => {
            const chosen = input.current?.files?.[0];
            if (chosen) onFile(chosen);
          }}
        />
      </div>
    </DropZone>
  );
}

function Progress({ share }: { share: number }) {
  return (
    <p class="progress">
      <progress max={1} value={share} aria-label="Sending the torrent" />
      <span class="figure">{share < 1 ? `${Math.round(share * 100)} %` : "reading it…"}</span>
    </p>
  );
}
