import assert from "node:assert/strict";
import { test } from "node:test";
import { doneShare, pace, spellPace, stretches, sumAt, timeLeft } from "./progress.ts";

const counts = (todo: number, out: number, done: number, failed = 0) => ({ todo, out, done, failed, added: todo + out + done + failed });

test("the bar is as long as all items, and shows even the few", () => {
  assert.deepEqual(stretches(counts(0, 0, 0)), []);
  assert.deepEqual(stretches(counts(50, 0, 50)), [{ part: "done", from: 0, width: 50 }, { part: "todo", from: 50, width: 50 }]);
  const few = stretches(counts(1_000_000, 1, 0, 1));
  assert.ok(few.every((one) => one.width > 0.5));
  const last = few.at(-1);
  assert.ok(last && Math.abs(last.from + last.width - 100) < 1e-9);
});

test("nothing is told as done before it is", () => {
  assert.equal(doneShare(counts(1, 0, 999_999)), "99.9 %");
  assert.equal(doneShare(counts(0, 0, 3)), "100 %");
  assert.equal(doneShare(counts(0, 0, 2, 1)), "67 %");
  assert.equal(doneShare(counts(0, 0, 0)), "—");
});

test("a sum holds until the next point", () => {
  assert.equal(sumAt([[100, 5], [200, 9]], 199), 5);
  assert.equal(sumAt([[100, 5]], 99), null);
});

test("the pace is of the last hour, or of the whole while that is shorter", () => {
  assert.equal(pace([], { at: 1000, sum: 5 }), null);
  assert.equal(pace([[0, 1]], { at: 600, sum: 60 }), 0.1);
  assert.equal(pace([[0, 10], [5000, 100]], { at: 10_000, sum: 460 }), 0.1);
  assert.equal(pace([[0, 10], [5000, 100]], { at: 100_000, sum: 100 }), 0);
  assert.equal(pace([[0, 1]], { at: 30, sum: 60 }), null);
});

test("the time left is told when it can be", () => {
  assert.equal(timeLeft(counts(90, 10, 5), 2), 50);
  assert.equal(timeLeft(counts(0, 0, 5), null), 0);
  assert.equal(timeLeft(counts(1, 0, 5), 0), null);
});

test("a pace is spelled in the unit one can picture", () => {
  assert.deepEqual([5, 0.5, 0.01, 0.0001].map((one) => spellPace(one).per), ["second", "minute", "hour", "day"]);
});
