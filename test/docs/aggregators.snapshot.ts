import { readFileSync, writeFileSync } from 'node:fs';
import { documentFile, written } from './document.ts';

// Run by `npm run docs`: writes the generated parts of the document that is committed, and that aggregators.test.ts
// compares with the aggregators' facts and fixtures.
writeFileSync(documentFile, written(readFileSync(documentFile, 'utf8')));
