import { expect, test } from 'vitest';
import { splitPath } from '../../../src/shared/http/request-url.ts';

test.each([
  ['/ussd/nalo/s%2F1/x?a=%ff', ['ussd', 'nalo', 's/1', 'x']],
  // The routes take such a part as it is, so a callback with a channel's secret before it is no stranger's.
  ['/ussd/nalo/secret/%ff%fe', ['ussd', 'nalo', 'secret', '%ff%fe']],
  ['/ussd/nalo/%zz', ['ussd', 'nalo', '%zz']],
  ['/', ['']],
  ['//', []],
])('the parts of %s', (url, parts) => {
  expect(splitPath(url)).toEqual(parts);
});
