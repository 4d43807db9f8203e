// Files as folders. Pure: grows from the paths that have arrived so far.
import type { UploadFile } from "./model.ts";

export type Folder = {
  name: string;
  path: string;
  folders: Folder[];
  files: { name: string; size: number }[];
  size: number;
  count: number;
};

function folder(name: string, path: string): Folder {
  return { name, path, folders: [], files: [], size: 0, count: 0 };
}

export function growTree(files: readonly UploadFile[]): Folder {
  const root = folder("", "");
  const known = new Map<string, Folder>([["", root]]);
  for (const file of files) {
    const parts = file.path.split("/");
    const name = parts.pop() ?? "";
    let at = root;
    at.size += file.size;
    at.count += 1;
    for (const part of parts) {
      const path = at === root ? part : `${at.path}/${part}`;
      let next = known.get(path);
      if (!next) {
        next = folder(part, path);
        known.set(path, next);
        at.folders.push(next);
      }
      next.size += file.size;
      next.count += 1;
      at = next;
    }
    at.files.push({ name, size: file.size });
  }
  root.folders.forEach(straighten);
  return root;
}

/** Folders that hold nothing but one folder are one line: "a/b/c". */
function straighten(at: Folder): void {
  let only = at.folders[0];
  while (only && at.folders.length === 1 && at.files.length === 0) {
    at.name = `${at.name}/${only.name}`;
    at.path = only.path;
    at.files = only.files;
    at.folders = only.folders;
    only = at.folders[0];
  }
  at.folders.forEach(straighten);
}
