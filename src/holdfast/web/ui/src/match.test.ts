import assert from "node:assert/strict";
import { test } from "node:test";
import { match } from "./match.ts";

test("a pattern matches its own places and names their parts", () => {
  assert.deepEqual(match("/members/:who", "/members/old-salt"), { who: "old-salt" });
  assert.deepEqual(match("/members/:who", "/members/K%C3%BCste"), { who: "Küste" });
  assert.deepEqual(match("/", "/"), {});
  assert.deepEqual(match("/uploads", "/uploads/"), {});
});

test("a pattern refuses every other place", () => {
  assert.equal(match("/members/:who", "/members"), null);
  assert.equal(match("/members/:who", "/members/a/b"), null);
  assert.equal(match("/members", "/uploads"), null);
  assert.equal(match("/members/:who", "/members/%E0%A4%A"), null);
});
