import assert from "node:assert/strict";
import { test } from "node:test";
import { address, example, operations } from "./openapi.ts";

const spec = {
  paths: {
    "/api/v1/members/{who}": {
      patch: {
        tags: ["members"],
        parameters: [
          { name: "who", in: "path", required: true, schema: { type: "string" } },
          { name: "role", in: "query", schema: { oneOf: [{ enum: ["member", "operator"] }, { type: "null" }] } },
        ],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Change" } } } },
        responses: { 200: { description: "ok" } },
      },
    },
  },
  components: {
    schemas: {
      Change: {
        type: "object",
        properties: {
          name: { type: ["string", "null"] },
          roles: { type: "array", items: { enum: ["member"] } },
          again: { $ref: "#/components/schemas/Change" },
        },
      },
    },
  },
};

test("an operation is read with its parameters, choices and body", () => {
  const [found] = operations(spec);
  assert.ok(found);
  assert.deepEqual([found.method, found.tag], ["PATCH", "members"]);
  assert.deepEqual(found.parameters.map((one) => [one.name, one.required, one.choices]), [
    ["who", true, []],
    ["role", false, ["member", "operator"]],
  ]);
  assert.equal(found.body?.type, "application/json");
});

test("a schema that contains itself still has an example", () => {
  const made = example(spec, { $ref: "#/components/schemas/Change" }) as Record<string, unknown>;
  assert.deepEqual([made.name, made.roles], ["", ["member"]]);
});

test("an address is filled in and escaped", () => {
  const [found] = operations(spec);
  assert.ok(found);
  assert.equal(address(found, { who: "a/b c", role: "" }), "/api/v1/members/a%2Fb%20c");
  assert.equal(address(found, { who: "7", role: "operator" }), "/api/v1/members/7?role=operator");
});
