import { z } from 'zod';

/** The value that a tolerant reader gets: an enumerated text may be any text. */
export type Tolerant<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Tolerant<Value[Name]> }
      : Value;

/** Returns the schema that reads what a newer service may send: unknown fields, and texts of any enumeration or format, pass. */
export function tolerant<Value>(schema: z.ZodType<Value>): z.ZodType<Tolerant<Value>> {
  return relax(schema) as z.ZodType<Tolerant<Value>>;
}

function relax(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, relax(field)]);
    return z.looseObject(Object.fromEntries(fields));
  }
  if (schema instanceof z.ZodArray) return z.array(relax(schema.element));
  if (schema instanceof z.ZodOptional) return relax(schema.unwrap()).optional();
  if (schema instanceof z.ZodNullable) return relax(schema.unwrap()).nullable();
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map(relax));
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return z.string();
  if (schema instanceof z.ZodLiteral && typeof schema.value === 'string') return z.string();
  return schema as z.ZodType;
}
