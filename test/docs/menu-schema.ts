import { z } from 'zod';
import { menuSchema } from '../../src/menu/schema.ts';

export const menuSchemaFile = 'docs/menu.schema.json';

/** The menu language as JSON Schema, so that editors complete and check menu files. */
export function writtenMenuSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(menuSchema, { io: 'input' });
  return { $schema, title: 'dialtill menu', ...schema };
}
