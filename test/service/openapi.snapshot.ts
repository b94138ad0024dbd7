import { writeFileSync } from 'node:fs';
import { servedDocument } from '../kit/api-document.ts';

// `npm run openapi` runs this file: it writes the committed document, which openapi.test.ts compares with the service.
writeFileSync('docs/openapi.json', `${JSON.stringify(JSON.parse(await servedDocument()), null, 2)}\n`);
