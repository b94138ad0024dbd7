import { componentName, resolve, type Schema } from './json-schema.ts';

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
