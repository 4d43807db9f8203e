// Reads an OpenAPI 3.1 description into what the explorer shows. Pure.

type Json = Record<string, unknown>;

export type Parameter = {
  name: string;
  place: "path" | "query" | "header";
  required: boolean;
  about: string;
  kind: string;
  choices: string[];
};

export type Operation = {
  id: string;
  method: string;
  path: string;
  title: string;
  about: string;
  tag: string;
  parameters: Parameter[];
  body: { type: string; example: string } | null;
  answers: { status: string; about: string }[];
};

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
/** Deep enough for every body of ours; a schema that contains itself ends here. */
const DEEPEST = 6;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: unknown): Json => (isObject(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Follows "#/components/…" to what it names. */
export function resolve(spec: Json, value: unknown): Json {
  let found = object(value);
  for (let hops = 0; typeof found.$ref === "string" && hops < 8; hops += 1) {
    const steps = found.$ref.replace(/^#\//, "").split("/");
    found = object(steps.reduce<unknown>((at, step) => object(at)[step.replace(/~1/g, "/").replace(/~0/g, "~")], spec));
  }
  return found;
}

function types(schema: Json): string[] {
  return list(schema.type).length ? list(schema.type).map(String) : text(schema.type) ? [text(schema.type)] : [];
}

/** A value that fits a schema, for a person to change. */
export function example(spec: Json, value: unknown, depth = 0): unknown {
  const schema = resolve(spec, value);
  if (schema.example !== undefined) return schema.example;
  if (list(schema.examples).length) return list(schema.examples)[0];
  if (schema.default !== undefined) return schema.default;
  if (list(schema.enum).length) return list(schema.enum)[0];
  if (depth > DEEPEST) return null;
  const either = [...list(schema.oneOf), ...list(schema.anyOf)];
  if (either.length) {
    const solid = either.find((one) => !types(resolve(spec, one)).includes("null"));
    return solid === undefined ? null : example(spec, solid, depth + 1);
  }
  if (list(schema.allOf).length) {
    return Object.assign({}, ...list(schema.allOf).map((one) => object(example(spec, one, depth + 1))));
  }
  const kind = types(schema).find((one) => one !== "null");
  if (kind === "object" || isObject(schema.properties)) {
    const fields = Object.entries(object(schema.properties));
    return Object.fromEntries(fields.map(([name, one]) => [name, example(spec, one, depth + 1)]));
  }
  if (kind === "array") return schema.items ? [example(spec, schema.items, depth + 1)] : [];
  return { string: "", integer: 0, number: 0, boolean: false }[kind ?? ""] ?? null;
}

function kindOf(spec: Json, schema: Json): { kind: string; choices: string[] } {
  const options = [schema, ...list(schema.oneOf), ...list(schema.anyOf)].map((one) => resolve(spec, one));
  const kinds = options.flatMap(types).filter((one) => one !== "null");
  const choices = options.flatMap((one) => list(one.enum)).filter((one) => one !== null).map(String);
  return { kind: [...new Set(kinds)].join(" or ") || "any", choices };
}

function parameter(spec: Json, value: unknown): Parameter | null {
  const given = resolve(spec, value);
  const place = text(given.in);
  if (place !== "path" && place !== "query" && place !== "header") return null;
  return {
    name: text(given.name),
    place,
    required: given.required === true || place === "path",
    about: text(given.description),
    ...kindOf(spec, resolve(spec, given.schema)),
  };
}

function body(spec: Json, value: unknown): Operation["body"] {
  const content = object(resolve(spec, value).content);
  const [type, media] = Object.entries(content).find(([name]) => name.includes("json")) ?? Object.entries(content)[0] ?? [];
  if (!type) return null;
  const shown = type.includes("json") ? JSON.stringify(example(spec, object(media).schema), null, 2) : "";
  return { type, example: shown };
}

export function operations(spec: Json): Operation[] {
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(object(spec.paths))) {
    for (const method of METHODS) {
      const given = object(object(item)[method]);
      if (!Object.keys(given).length) continue;
      const parameters = [...list(object(item).parameters), ...list(given.parameters)].map((one) => parameter(spec, one));
      found.push({
        id: text(given.operationId) || `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        title: text(given.summary),
        about: text(given.description),
        tag: text(list(given.tags)[0]) || firstWord(path),
        parameters: parameters.filter((one) => one !== null),
        body: given.requestBody ? body(spec, given.requestBody) : null,
        answers: Object.entries(object(given.responses)).map(([status, one]) => ({ status, about: text(resolve(spec, one).description) })),
      });
    }
  }
  return found;
}

/** "/api/v1/members/{id}" belongs to "members". */
function firstWord(path: string): string {
  return path.replace(/^\/api\/v\d+/, "").split("/").find((part) => part && !part.startsWith("{")) ?? "other";
}

export function address(operation: Operation, values: Record<string, string>): string {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const { name, place } of operation.parameters) {
    const value = values[name] ?? "";
    if (place === "path") path = path.replace(new RegExp(`\\{${name}(:[^}]*)?\\}`), encodeURIComponent(value));
    else if (place === "query" && value !== "") query.append(name, value);
  }
  const search = query.toString();
  return search ? `${path}?${search}` : path;
}
