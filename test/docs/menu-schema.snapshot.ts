import { writeFileSync } from 'node:fs';
import { menuSchemaFile, writtenMenuSchema } from './menu-schema.ts';

// Run by `npm run docs`: writes the schema that is committed, and that menu-schema.test.ts compares with the code.
writeFileSync(menuSchemaFile, `${JSON.stringify(writtenMenuSchema(), null, 2)}\n`);
