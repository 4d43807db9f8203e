import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, duration, number, plural, relative, words } from "./format.ts";

test("sizes are told in binary units with three figures", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1024), "1 KiB");
  assert.equal(bytes(1536), "1.5 KiB");
  assert.equal(bytes(11.34 * 2 ** 40), "11.3 TiB");
  assert.equal(bytes(-2 * 2 ** 20), "−2 MiB");
});

test("a size never reads 1024 of a unit", () => {
  for (let exponent = 1; exponent < 60; exponent += 1) {
    for (const size of [2 ** exponent - 1, 2 ** exponent, 2 ** exponent + 1]) {
      assert.ok(!bytes(size).startsWith("1024 "), `${size} became ${bytes(size)}`);
    }
  }
});

test("small numbers stay exact and big ones are shortened", () => {
  assert.equal(number(9999), "9,999");
  assert.equal(number(12_345), "12.3K");
  assert.equal(plural(1, "file"), "1 file");
  assert.equal(plural(2, "entry", "entries"), "2 entries");
});

test("times are told from where the reader stands", () => {
  const now = 1_795_000_000;
  assert.equal(relative(now - 10, now), "just now");
  assert.equal(relative(now + 10, now), "just now");
  assert.equal(relative(now - 50, now), "1 minute ago");
  assert.equal(relative(now - 7200, now), "2 hours ago");
  assert.equal(relative(now + 86_400 * 3, now), "in 3 days");
});

test("a duration names its two largest units", () => {
  assert.equal(duration(0), "0 s");
  assert.equal(duration(59.6), "1 min");
  assert.equal(duration(93_000), "1 d 1 h");
  assert.equal(duration(86_400), "1 d");
});

test("a field's spelling becomes words", () => {
  assert.equal(words("may_leech"), "May leech");
});
