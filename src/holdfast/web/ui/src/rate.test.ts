import assert from "node:assert/strict";
import { test } from "node:test";
import { rate, rates, spellRate } from "./rate.ts";

test("a rate lies between two looks", () => {
  assert.equal(rate([]), null);
  assert.equal(rate([{ at: 1, count: 5 }]), null);
  assert.equal(rate([{ at: 1, count: 5 }, { at: 3, count: 15 }]), 5);
});

test("a count that began anew, and a clock that stood still, have none", () => {
  assert.equal(rate([{ at: 1, count: 50 }, { at: 3, count: 5 }]), null);
  assert.equal(rate([{ at: 1, count: 5 }, { at: 1, count: 15 }]), null);
});

test("a line leaves out what has no rate", () => {
  const looks = [{ at: 0, count: 0 }, { at: 1, count: 4 }, { at: 2, count: 0 }, { at: 4, count: 6 }];
  assert.deepEqual(rates(looks), [4, 3]);
});

test("rates are spelled as short as they are clear", () => {
  assert.deepEqual([0, 0.049, 1.25, 12.34, 1234.5].map(spellRate), ["0", "0.05", "1.3", "12.3", "1,235"]);
});
