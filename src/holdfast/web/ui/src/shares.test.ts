import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, spellShares, usual } from "./shares.ts";

test("shares are told in words", () => {
  assert.equal(spellShares({ multi_up: 2, multi_down: 0 }), "uploads count twice, downloads nothing");
  assert.equal(spellShares({ multi_up: 1, multi_down: 0.75 }), "uploads count as they are, downloads 0.75 times");
  assert.equal(spellShares({ multi_up: 0, multi_down: 0 }), "uploads and downloads count nothing");
});

test("only what differs is sent, with its reason", () => {
  const before = { multi_up: 1, multi_down: 1 };
  assert.ok(usual(before));
  assert.deepEqual(changed(before, "1", "1.0", "none"), {});
  assert.deepEqual(changed(before, "1", "0", " a gift "), { multi_down: 0, reason: "a gift" });
});
