import assert from "node:assert/strict";
import { test } from "node:test";
import { growTree } from "./tree.ts";

test("paths grow into folders that know how much they hold", () => {
  const root = growTree([
    { path: "a/x.txt", size: 1 },
    { path: "a/b/y.txt", size: 2 },
    { path: "z.txt", size: 4 },
    { path: "a/b/w.txt", size: 8 },
  ]);
  assert.deepEqual([root.count, root.size], [4, 15]);
  assert.deepEqual(root.files, [{ name: "z.txt", size: 4 }]);
  const a = root.folders[0];
  assert.deepEqual([a?.path, a?.count, a?.size], ["a", 3, 11]);
  assert.deepEqual(a?.folders[0]?.files.map((one) => one.name), ["y.txt", "w.txt"]);
});

test("folders of one name in different places stay apart", () => {
  const root = growTree(["a/c/1", "a/2", "b/c/3", "b/4"].map((path) => ({ path, size: 1 })));
  assert.deepEqual(root.folders.map((one) => one.folders[0]?.path), ["a/c", "b/c"]);
});

test("folders that hold nothing but a folder are one line", () => {
  const root = growTree([{ path: "a/b/c/x", size: 1 }, { path: "a/b/c/d/y", size: 2 }]);
  assert.deepEqual(root.folders.map((one) => [one.name, one.count]), [["a/b/c", 2]]);
  assert.deepEqual(root.folders[0]?.folders.map((one) => one.name), ["d"]);
});

test("names that objects are born with are folders like any other", () => {
  const root = growTree([{ path: "__proto__/constructor/f", size: 3 }]);
  assert.equal(root.folders[0]?.files[0]?.size, 3);
});
