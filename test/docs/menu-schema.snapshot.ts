import { writeFileSync } from 'node:fs';
import {
  menuPartSchemaFile,
  menuSchemaFile,
  writtenMenuPartSchema,
  writtenMenuSchema,
} from './menu-schema.ts';

// Run by `npm run docs`: writes the schemas that are committed, and that menu-schema.test.ts compares with the code.
writeFileSync(menuSchemaFile, `${JSON.stringify(writtenMenuSchema(), null, 2)}\n`);
writeFileSync(menuPartSchemaFile, `${JSON.stringify(writtenMenuPartSchema(), null, 2)}\n`);
