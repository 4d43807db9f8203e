import assert from "node:assert/strict";
import { test } from "node:test";
import { grove, lines, MOST } from "./grove.ts";
import type { Peer } from "./model.ts";

function peer(progress: number, more: Partial<Peer> = {}): Peer {
  return {
    role: progress === 1 ? "seeder" : "leecher", client: "other", progress, speed_up: 0, speed_down: 0, own: false,
    member: null, peer_id: null, ip: null, port: null, uploaded: null, downloaded: null, time: null,
    first_announce: null, last_announce: null, ...more,
  };
}

test("every peer of a small swarm is a stalk, the tallest first", () => {
  const stalks = grove({ seeders: 1, leechers: 2 }, [peer(0.2), peer(1), peer(0.6, { own: true })]);
  assert.deepEqual(stalks.map((one) => [one.grown, one.own]), [[1, false], [0.6, true], [0.2, false]]);
});

test("a large swarm keeps its shares", () => {
  const known = Array.from({ length: 50 }, (_, at) => peer(at % 5 ? 1 : 0.5));
  const stalks = grove({ seeders: 3000, leechers: 1000 }, known);
  assert.equal(stalks.length, MOST);
  assert.equal(stalks.filter((one) => one.role === "seeder").length, 30);
});

test("what stands for several is nobody's own", () => {
  const known = Array.from({ length: 50 }, () => peer(1, { own: true }));
  assert.ok(grove({ seeders: 50, leechers: 0 }, known).every((one) => !one.own));
});

test("nobody vanishes for being few", () => {
  const known = [peer(1), ...Array.from({ length: 49 }, () => peer(0.1))];
  const few = grove({ seeders: 1, leechers: 9999 }, known);
  assert.equal(few.filter((one) => one.role === "seeder").length, 1);
  const alone = grove({ seeders: 9999, leechers: 1 }, [peer(0.3), ...Array.from({ length: 49 }, () => peer(1))]);
  assert.equal(alone.filter((one) => one.role === "leecher").length, 1);
});

test("counts and peers may be of two moments", () => {
  assert.deepEqual(grove({ seeders: 0, leechers: 0 }, []), []);
  assert.equal(grove({ seeders: 0, leechers: 0 }, [peer(1)]).length, 1);
  assert.equal(grove({ seeders: 3, leechers: 2 }, []).length, 0);
  for (const stalks of [grove({ seeders: 90, leechers: 0 }, [peer(0.5)]), grove({ seeders: 5, leechers: 5 }, [peer(1)])]) {
    assert.ok(stalks.every((one) => one !== undefined));
  }
});

test("a stalk stays between the ground and its top, in its own place", () => {
  const { stipe, top } = lines({ x: 100, base: 140, top: 20, slot: 20, turn: 3 });
  const points = stipe.slice(1).split("L").map((one) => one.split(" ").map(Number) as [number, number]);
  for (const [x, y] of points) {
    assert.ok(x > 90 && x < 110, `${x}`);
    assert.ok(y >= 20 && y <= 140, `${y}`);
  }
  assert.equal(top[1], 20);
});
