import jsqr from 'jsqr';
import { expect, test } from 'vitest';
import { QrCode } from '../../../src/gateway/console/first-use.tsx';
import { createBrowser, createConsoleTill } from '../../kit/console.ts';
import { callStaff } from '../../kit/staff.ts';

const pixels = 4;

/** Draws the rectangles of an SVG, and returns what a camera reads. */
function scan(svg: string): string | undefined {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const width = size * pixels;
  const image = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = 0; row < pixels; row++) {
      const start = (Number(y) * pixels + row) * width + Number(x) * pixels;
      for (let pixel = start; pixel < start + Number(run) * pixels; pixel++)
        image.set([0, 0, 0, 255], pixel * 4);
    }
  return jsqr.default(image, width, width)?.data;
}

const svgOf = (page: string) => /<svg role="img".*?<\/svg>/s.exec(page)?.[0] ?? '';

test('a reader reads each text from the code', () => {
  for (const text of ['a', 'otpauth://totp/dialtill%20pay.example:ama?secret=ABCDEFGH', 'x'.repeat(400)])
    expect(scan(String(QrCode({ text, label: 'code' })))).toBe(text);
});

test('the pages with the key of an authenticator app show it as a code, too', async () => {
  const till = await createConsoleTill();
  const { body } = await callStaff(till, 'adwoa', '/accounts', { name: 'efua', role: 'agent' });
  const browser = createBrowser(till);
  await browser.post('/first-use', { name: 'efua', code: String(body.code) });
  const { text } = await browser.get('/set-up');
  const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(text) ?? [];
  const [, key = ''] = /key: <code>([A-Z2-7 ]+)<\/code>/.exec(text) ?? [];
  expect(scan(svgOf(text))).toBe(url.replaceAll('&amp;', '&'));
  expect(url).toContain(key.replaceAll(' ', ''));
  expect(text).toMatch(/<rect width="\d+" height="\d+" fill="#fff"/);
  expect(text).not.toContain('style=');
});
