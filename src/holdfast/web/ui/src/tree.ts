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
  return root;
}
