import { z } from 'zod';

/** The parts of JSON Schema that the project's OpenAPI documents use. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  description?: string;
  example?: unknown;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

/** Returns the schema that a reference points to; any other schema unchanged. */
export function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const name = componentName(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** Returns the component name of a reference; `undefined` for any other schema. */
function componentName(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

/**
 * Returns a zod schema as JSON Schema. It, and each one inside it, that has an id is a reference to a component, which is added to
 * `components`.
 *
 * @throws Error when two different schemas have one id.
 */
export function addSchema(components: Record<string, Schema>, schema: z.ZodType): Schema {
  // In a list, a schema with an id is a reference, as it is anywhere else.
  const { items, $defs = {} } = z.toJSONSchema(z.array(schema), { io: 'input', override: simplify });
  const convert = (part: unknown): Schema =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/'), plainPattern);
  for (const [name, part] of Object.entries($defs)) {
    const found = convert(part);
    if (components[name] && JSON.stringify(components[name]) !== JSON.stringify(found))
      throw new Error(`two schemas have the name ${name}`);
    components[name] = found;
  }
  return convert(items);
}

/** Writes a schema in the form that most generators of clients read: no bounds of doubles, and the type of what may be null. */
function simplify({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.const !== undefined) {
    schema.enum = [schema.const];
    delete schema.const;
  }
  const [one, other, ...more] = schema.anyOf ?? [];
  const isNullable = other?.type === 'null' && more.length === 0;
  if (isNullable && typeof one?.type === 'string' && one.enum === undefined) {
    delete schema.anyOf;
    Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] });
  }
}

/** Property classes as ranges. Surrogates are absent: no body with a lone one is read, whatever its pattern. */
const propertyClasses = {
  '\\P{Cc}': '[^\\u0000-\\u001f\\u007f-\\u009f]',
  '\\p{Cc}': '\\u0000-\\u001f\\u007f-\\u009f',
  '\\p{Cs}': '',
  // Without those beyond U+FFFF, which a range has only with the flag.
  '\\p{Cf}':
    '\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u202a-\\u202e' +
    '\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb',
};

/** JSON Schema implies the flag `u`. Not every validator sets it, so property classes become ranges, which mean the same without it. */
function plainPattern(key: string, value: unknown): unknown {
  if (key !== 'pattern' || typeof value !== 'string') return value;
  const pattern = Object.entries(propertyClasses).reduce(
    (text, [name, range]) => text.replaceAll(name, range),
    value,
  );
  if (/\\p\{/i.test(pattern))
    throw new Error(`no range is known for a property class of the pattern ${value}`);
  return pattern;
}

/** Values for the examples of fields by name: in any object, and in the objects of one component. */
export type KnownValues = {
  fields: Readonly<Record<string, unknown>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** Returns a value that fits the schema, built from the known values and the examples of its fields. */
export function createExample(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  name = '',
  known: KnownValues = { fields: {}, components: {} },
): unknown {
  const resolved = resolve(schema, schemas);
  if (schema.example !== undefined) return schema.example;
  if (resolved.example !== undefined) return resolved.example;
  const option = (resolved.anyOf ?? resolved.oneOf)?.[0];
  if (option) return createExample(option, schemas, name, known);
  if (resolved.allOf)
    return Object.assign({}, ...resolved.allOf.map((part) => createExample(part, schemas, name, known)));
  if (resolved.enum) return resolved.enum[0];
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type;
  if (type === 'object') {
    const values = { ...known.fields, ...known.components[componentName(schema) ?? ''] };
    const fields = Object.entries(resolved.properties ?? {});
    return Object.fromEntries(
      fields
        .map(([field, inner]) => [
          field,
          Object.hasOwn(values, field) ? values[field] : createExample(inner, schemas, field, known),
        ])
        .filter(([, value]) => value !== undefined),
    );
  }
  if (type === 'array') return resolved.items ? [createExample(resolved.items, schemas, name, known)] : [];
  if (type === 'integer' || type === 'number') return resolved.minimum ?? 0;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return textFor(name, resolved);
}

/** An example of a text: an identifier if the description names its prefix, else the name of the field. */
function textFor(name: string, { description = '', minLength = 0, maxLength = 64 }: Schema): string {
  const prefix = /[Pp]refix `(\w+_)`/.exec(description)?.[1];
  const word = prefix === undefined ? name.replaceAll('_', ' ') || 'text' : `${prefix}01k5n8c0`;
  return word.slice(0, maxLength).padEnd(minLength, '0');
}
