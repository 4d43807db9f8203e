import assert from "node:assert/strict";
import { test } from "node:test";
import { spellReport } from "./report.ts";

test("each kind of report is one sentence", () => {
  const speed = { kind: "speed", worst: 2 ** 30, count: 1, details: { uploaded: 2 ** 33, downloaded: 5, seconds: 8 } } as const;
  assert.equal(spellReport(speed), "claimed 1 GiB a second: 8 GiB in 8 s");
  assert.equal(spellReport({ kind: "balance", worst: 2 ** 40, count: 3, details: {} }), "1 TiB more given than taken in this swarm, 3 times by now");
  const leak = { kind: "leak", worst: 1_795_000_000, count: 1, details: { ip: "203.0.113.9" } } as const;
  assert.equal(spellReport(leak), "the torrent's own key was used where it should not be, from 203.0.113.9");
});

test("details that another program wrote spoil nothing", () => {
  assert.equal(spellReport({ kind: "speed", worst: 0, count: 1, details: { uploaded: "much" } }), "claimed 0 B a second: 0 B in 0 s");
});
