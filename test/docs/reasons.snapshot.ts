import { readFileSync, writeFileSync } from 'node:fs';
import { reasonsFile, writtenReasons } from './reasons.ts';

// Run by `npm run docs`: writes the tables of reasons and statuses, which reasons.test.ts compares with the code.
writeFileSync(reasonsFile, writtenReasons(readFileSync(reasonsFile, 'utf8')));
