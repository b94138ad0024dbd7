/** The parts of a JSON Schema that the document of this service has. */
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

/** The schema itself, where it is a reference to one of the document's own. */
export function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const name = nameOfRef(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** The name under which the document holds the schema, if it is a reference. */
export function nameOfRef(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

/** A value that fits a schema, made of the examples of its fields. */
export function exampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, name = ''): unknown {
  const one = resolve(schema, schemas);
  if (schema.example !== undefined) return schema.example;
  if (one.example !== undefined) return one.example;
  const option = (one.anyOf ?? one.oneOf)?.[0];
  if (option) return exampleOf(option, schemas, name);
  if (one.allOf) return Object.assign({}, ...one.allOf.map((part) => exampleOf(part, schemas, name)));
  if (one.enum) return one.enum[0];
  const type = Array.isArray(one.type) ? one.type[0] : one.type;
  if (type === 'object') {
    const fields = Object.entries(one.properties ?? {});
    return Object.fromEntries(fields.map(([field, inner]) => [field, exampleOf(inner, schemas, field)]));
  }
  if (type === 'array') return one.items ? [exampleOf(one.items, schemas, name)] : [];
  if (type === 'integer' || type === 'number') return one.minimum ?? 0;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return wordFor(name, one);
}

/** Something to stand for a text: an identifier where the description tells its prefix, else the field's name. */
function wordFor(name: string, { description = '', minLength = 0, maxLength = 64 }: Schema): string {
  const prefix = /[Pp]refix `(\w+_)`/.exec(description)?.[1];
  const word = prefix === undefined ? name.replaceAll('_', ' ') || 'text' : `${prefix}01k5n8c0`;
  return word.slice(0, maxLength).padEnd(minLength, '0');
}
