import { readFileSync, writeFileSync } from 'node:fs';
import { generatedFiles, written } from './document.ts';

// Run by `npm run docs`: writes the generated parts of the pages that are committed, and that aggregators.test.ts
// compares with the aggregators' facts and fixtures.
for (const file of generatedFiles) writeFileSync(file, written(readFileSync(file, 'utf8')));
