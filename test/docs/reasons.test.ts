import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decidedReasons, paymentReviews, unpaidReasons } from '../../src/contract/merchant/payment-reason.ts';
import { sessionEndReasons } from '../../src/contract/service/end-reason.ts';
import { magicNames } from '../../src/contract/service/magic-numbers.ts';
import { reasonsFile, writtenReasons } from './reasons.ts';

const document = readFileSync(reasonsFile, 'utf8');

test('the tables of reasons and statuses are what `npm run docs` would write', () => {
  expect(writtenReasons(document)).toBe(document);
  for (const name of [...unpaidReasons, ...paymentReviews, ...decidedReasons, ...magicNames])
    expect(document).toContain(`\`${name}\``);
});

/** Returns the descriptions of the fields of a name in an OpenAPI document. */
function descriptionsOf(file: string, name: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === name && typeof inner?.description === 'string') found.push(inner.description);
      visit(inner);
    }
  };
  visit(JSON.parse(readFileSync(file, 'utf8')));
  return found;
}

test.each([
  ['docs/merchant-openapi.json', 'reason', [...unpaidReasons, ...decidedReasons]],
  ['docs/merchant-openapi.json', 'review', paymentReviews],
  ['docs/openapi.json', 'reason', sessionEndReasons],
] as const)('%s lists the names of the table for `%s`', (file, field, names) => {
  const complete = descriptionsOf(file, field).filter((text) =>
    names.every((name) => text.includes(`\`${name}\``)),
  );
  expect(complete.length).toBeGreaterThan(0);
});

test('no document has a name of a case that is no name of the list', () => {
  const former = /\b(no_funds|rail_down|rail_lost|paid_late|charged_twice|no_wallet|--reason timed_out)\b/;
  const files = ['docs/notifications.md', 'docs/my-system.md', 'docs/faq.md', 'docs/collection-service.md'];
  for (const file of files) expect(readFileSync(file, 'utf8'), file).not.toMatch(former);
});
