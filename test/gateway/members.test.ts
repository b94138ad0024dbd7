import { expect, test } from 'vitest';
import { readPause } from '../../src/gateway/collection/calls/members.ts';

test('the pause that a gateway reports is read', () => {
  const pause = { merchantId: 'demo-shop', ms: 1_000, by: 'gw_1' };
  expect(readPause(JSON.stringify(pause))).toEqual(pause);
});

test.each(['', 'null', '{', '[]', '{"merchantId":"demo-shop","ms":1e15,"by":"x"}', '{"ms":1,"by":"x"}'])(
  'what another program sends on the channel is no pause, and no fault: %j',
  (text) => {
    expect(readPause(text)).toBeUndefined();
  },
);
