// The files of an upload as a tree; a huge one is fetched and drawn in pieces, as far as somebody looks.
import { useMemo, useState } from "preact/hooks";
import { api } from "../api.ts";
import { number, plural } from "../format.ts";
import type { Upload } from "../model.ts";
import { useList } from "../resource.ts";
import { type Folder, growTree } from "../tree.ts";
import { Button, Problem, Size, Skeleton } from "./basics.tsx";
import { Icon } from "./icon.tsx";

const DRAWN = 200;

export function Files({ upload }: { upload: Upload }) {
  const list = useList(`files ${upload.id}`, (cursor, limit) => api.files(upload.id, { cursor, limit }));
  const { data, error } = list;
  const root = useMemo(() => growTree(data?.items ?? []), [data]);
  if (!data) return error ? <Problem error={error} /> : <Skeleton rows={Math.min(upload.file_count, 6)} />;
  const single = root.folders.length === 1 && root.files.length === 0;
  return (
    <>
      <div class="tree"><Branch of={root} open={single} partial={data.next !== null} /></div>
      {data.next && (
        <footer class="list-foot">
          <p class="faint">{number(data.items.length)} of {plural(upload.file_count, "file")}</p>
          <Button busy={list.growing} onClick={() => void list.more()}>Show more files</Button>
        </footer>
      )}
    </>
  );
}

type BranchProps = { of: Folder; open: boolean; partial: boolean };

function Branch({ of, open, partial }: BranchProps) {
  const [drawn, setDrawn] = useState(DRAWN);
  const rest = of.folders.length + of.files.length - drawn;
  return (
    <ul>
      {of.folders.slice(0, drawn).map((one) => <Twig key={one.path} of={one} open={open} partial={partial} />)}
      {of.files.slice(0, Math.max(0, drawn - of.folders.length)).map((one, index) => (
        <li key={index} class="leaf-file">
          <Icon name="file" size={16} />
          <span class="breakable">{one.name}</span>
          <Size of={one.size} />
        </li>
      ))}
      {rest > 0 && <li><Button kind="quiet" onClick={() => setDrawn(drawn + 5 * DRAWN)}>Draw {number(Math.min(rest, 5 * DRAWN))} more here</Button></li>}
    </ul>
  );
}

function Twig({ of, open: first, partial }: BranchProps) {
  const [open, setOpen] = useState(first);
  return (
    <li>
      <button type="button" class="twig" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={14} />
        <Icon name="folder" size={16} />
        <span class="breakable">{of.name}</span>
        <span class="faint">{plural(of.count, "file")}{partial && " so far"}</span>
        <Size of={of.size} />
      </button>
      {open && <Branch of={of} open={of.folders.length === 1 && of.files.length === 0} partial={partial} />}
    </li>
  );
}
