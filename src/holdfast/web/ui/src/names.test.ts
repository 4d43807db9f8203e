import assert from "node:assert/strict";
import { test } from "node:test";
import { batches, namesIn, pairsIn, slugOf, spellPairs } from "./names.ts";

test("names are read from lines, whatever ends them, each once", () => {
  assert.deepEqual(namesIn(" one\r\ntwo three\n\none"), ["one", "two", "three"]);
  assert.deepEqual([...batches([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
});

test("a title becomes what an address can hold", () => {
  assert.equal(slugOf("Café des Îles, 2026!"), "cafe-des-iles-2026");
  assert.equal(slugOf("  "), "");
  assert.equal(slugOf(`${"a".repeat(39)} b`), "a".repeat(39));
});

test("pairs are written and read line by line", () => {
  assert.deepEqual(pairsIn("web = Web pages\n\nblog\nx = a = b"), { web: "Web pages", blog: "blog", x: "a = b" });
  assert.equal(spellPairs({ web: "Web pages", blog: "blog" }), "web = Web pages\nblog = blog");
});
