import assert from "node:assert/strict";
import { test } from "node:test";
import { difference, spell, spellField } from "./difference.ts";

test("only what changed is told", () => {
  assert.deepEqual(difference({ enabled: true, name: "tern" }, { enabled: false, name: "tern" }), [
    { field: "enabled", before: true, after: false },
  ]);
});

test("what came and what went have one side each", () => {
  assert.deepEqual(difference(null, { name: "tern" }), [{ field: "name", after: "tern" }]);
  assert.deepEqual(difference({ name: "tern" }, null), [{ field: "name", before: "tern" }]);
});

test("a change deep inside is told alone", () => {
  const sinks = (email: boolean) => ({ preferences: { as_uploader: { page: true, email } } });
  assert.deepEqual(difference(sinks(false), sinks(true)), [
    { field: "preferences as_uploader email", before: false, after: true },
  ]);
});

test("values are spelled as people say them", () => {
  assert.equal(spell(null), "nothing");
  assert.equal(spell(["member", "operator"]), "member, operator");
  assert.equal(spell({ page: true, email: false }), "page");
  assert.equal(spellField("size", 1536), "1.5 KiB");
  assert.equal(spellField("amount", 1536), "1536");
});
