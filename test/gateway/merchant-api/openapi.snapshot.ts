import { writeFileSync } from 'node:fs';
import { merchantDocument } from '../../../src/gateway/merchant-api/openapi.ts';

// `npm run openapi` runs this file: it writes the committed document, which merchant-api.test.ts compares with the routes.
writeFileSync('docs/merchant-openapi.json', `${JSON.stringify(merchantDocument(), null, 2)}\n`);
