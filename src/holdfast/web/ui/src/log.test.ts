import assert from "node:assert/strict";
import { test } from "node:test";
import { grown, type Line, reportedOf, shown } from "./log.ts";

const counts = { todo: 1, out: 0, done: 2, failed: 0, added: 3 };
const report = (downloader: string, item: string, size: number) => ({ downloader, item, items: 1, bytes: size, version: "1", is_duplicate: false });
const told = (...reports: ReturnType<typeof report>[]) => ({ project: "reef", reports, more: 0, counts });

test("an event is of one project", () => {
  const event = { topic: "items" as const, event: "items.reported", data: told(), at: 5 };
  assert.equal(reportedOf(event, "reef")?.counts.done, 2);
  assert.equal(reportedOf(event, "else"), null);
  assert.equal(reportedOf({ ...event, event: "another" }, "reef"), null);
});

test("the newest stand first, each with a key of its own, and the oldest are let go", () => {
  let lines = grown([], told(report("ann", "a", 3), report("bob", "c", 0)), 5);
  assert.deepEqual(lines.map((one) => [one.key, one.name, one.item, one.bytes]), [[2, "bob", "c", 0], [1, "ann", "a", 3]]);
  for (let at = 0; at < 600; at += 1) lines = grown(lines, told(report("cy", `i${at}`, 1)), at);
  assert.equal(lines.length, 500);
  assert.equal(new Set(lines.map((one) => one.key)).size, 500);
});

test("lines are found by volunteer, by item, and by having brought nothing", () => {
  const lines: Line[] = grown([], told(report("Ann", "user:7", 3), report("bob", "user:8", 0)), 5);
  const names = (words: string, empty = false) => shown(lines, words, empty).map((one) => one.name);
  assert.deepEqual(names("ANN"), ["Ann"]);
  assert.deepEqual(names(" user:8 "), ["bob"]);
  assert.deepEqual(names("", true), ["bob"]);
  assert.deepEqual(names("ann", true), []);
});
