import { expect, test } from 'vitest';
import { getScreenRoom } from '../../src/phone/screen-room.ts';

const style = { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' } as const;

test.each([
  ['abc', {}, { sentIn: 'gsm', gsm: { limit: 182, left: 179 }, ucs2: { limit: 80, left: 77 } }],
  // A character of the extension table has two septets.
  ['€', {}, { sentIn: 'gsm', gsm: { limit: 182, left: 180 }, ucs2: { limit: 80, left: 79 } }],
  [
    'x'.repeat(90),
    { textLimit: 160 },
    { sentIn: 'gsm', gsm: { limit: 160, left: 70 }, ucs2: { limit: 70, left: -20 } },
  ],
  [
    'a\nb',
    { lineBreak: '\r\n' },
    { sentIn: 'gsm', gsm: { limit: 182, left: 178 }, ucs2: { limit: 80, left: 76 } },
  ],
  [
    'mɛda',
    { alphabet: 'unicode' },
    { sentIn: 'unicode', gsm: { limit: 182, left: 178 }, ucs2: { limit: 80, left: 76 } },
  ],
] as const)('the room of %j on a screen with the settings %j', (text, settings, room) => {
  expect(getScreenRoom(text, { style }, settings)).toEqual(room);
});
