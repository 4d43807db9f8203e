import assert from "node:assert/strict";
import { test } from "node:test";
import { across, atEnd, atStart, heights, isWhole, marks, moments, moved, whole, within, zoomed } from "./chart.ts";
import type { Point } from "./model.ts";

const ALL = { from: 0, to: 10_000 };

test("the whole goes from the first point to now, and is never shorter than can be drawn", () => {
  assert.deepEqual(whole([[100, 1], [200, 2]], 5000), { from: 100, to: 5000 });
  assert.deepEqual(whole([], 5000), { from: 4400, to: 5000 });
});

test("one zooms around the middle and never leaves what there is", () => {
  assert.deepEqual(zoomed(ALL, 0.5, ALL), { from: 2500, to: 7500 });
  assert.deepEqual(zoomed({ from: 2500, to: 7500 }, 4, ALL), ALL);
  assert.deepEqual(moved({ from: 0, to: 1000 }, -0.5, ALL), { from: 0, to: 1000 });
  assert.deepEqual(moved({ from: 0, to: 1000 }, 0.5, ALL), { from: 500, to: 1500 });
  assert.deepEqual(within({ from: 9000, to: 9001 }, ALL), { from: 9000, to: 9600 });
  assert.ok(isWhole(ALL, ALL));
  assert.ok(atStart({ from: 59.9, to: 1000 }, ALL) && !atStart({ from: 60, to: 1000 }, ALL));
  assert.ok(atEnd({ from: 60, to: 9941 }, ALL) && !atEnd({ from: 60, to: 9940 }, ALL));
});

test("a line enters at the height it had and leaves at its last", () => {
  const points: Point[] = [[10, 1], [20, 5], [30, 9]];
  assert.deepEqual(across(points, { from: 15, to: 25 }), [[15, 1], [20, 5], [25, 5]]);
  assert.deepEqual(across(points, { from: 0, to: 12 }), [[0, 0], [10, 1], [12, 1]]);
  assert.deepEqual(across([], { from: 0, to: 12 }), []);
});

test("what grows from nothing stands on nothing, what grew long ago stands on what it was", () => {
  assert.deepEqual(heights([[0, 1], [1, 100]]), { low: 0, high: 100 });
  assert.deepEqual(heights([[0, 1000], [1, 1100]]), { low: 1000, high: 1100 });
  assert.deepEqual(heights([[0, 7], [1, 7]]), { low: 6, high: 8 });
});

test("lines carry round numbers", () => {
  assert.deepEqual(marks(0, 100), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(marks(0, 2), [0, 1, 2]);
  assert.deepEqual(marks(0, 4 * 1024 ** 3, true), [0, 1, 2, 3, 4].map((one) => one * 1024 ** 3));
});

test("moments are round by the clock on the wall", () => {
  assert.deepEqual(moments({ from: 100, to: 8000 }, 4, 0), [3600, 7200]);
  assert.deepEqual(moments({ from: 0, to: 3 * 86_400 }, 4, 3600), [82_800, 169_200, 255_600]);
});
