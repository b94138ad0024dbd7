import { writeFileSync } from 'node:fs';
import { servedDocument } from '../kit/api-document.ts';

// Run by `npm run openapi`: writes the document that is committed, and that openapi.test.ts compares with the service.
writeFileSync('docs/openapi.json', `${JSON.stringify(JSON.parse(await servedDocument()), null, 2)}\n`);
