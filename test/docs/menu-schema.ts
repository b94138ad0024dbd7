import { z } from 'zod';
import { menuSchema } from '../../src/menu/schema.ts';

export const menuSchemaFile = 'docs/menu.schema.json';
export const menuPartSchemaFile = 'docs/menu-part.schema.json';

/** The menu language as JSON Schema, so that editors complete and check menu files. */
export function writtenMenuSchema(): object {
  return written('dialtill menu', menuSchema);
}

/** The same for the files that a menu includes. */
export function writtenMenuPartSchema(): object {
  const { include, messages, screens } = menuSchema.shape;
  return written(
    'part of a dialtill menu',
    z.strictObject({ include, messages, screens: screens.optional() }),
  );
}

function written(title: string, from: z.ZodType): object {
  const { $schema, ...schema } = z.toJSONSchema(from, { io: 'input' });
  return { $schema, title, ...schema };
}
