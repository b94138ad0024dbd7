import { expect, test } from 'vitest';
import type { Till } from '../kit/till.ts';
import { type Browser, createBrowser, createPhoneTill } from './browser.ts';

/** Reads the events of a stream while the clock advances, until one has the name. */
async function readUntil(till: Till, stream: ReadableStreamDefaultReader<Uint8Array>, name: string) {
  let text = '';
  for (let chunk = stream.read(); ; chunk = stream.read()) {
    let isRead = false;
    const read = chunk.then((result) => {
      isRead = true;
      return result;
    });
    for (let i = 0; i < 200 && !isRead; i++) await till.clock.advance(500);
    const { value, done } = await read;
    text += Buffer.from(value ?? []).toString('utf8');
    if (done || text.includes(`event: ${name}\n`)) return { text, done };
  }
}

async function openStream(browser: Browser): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const answer = await browser.request('/phone/events');
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = answer.body?.getReader();
  if (!reader) throw new Error('no stream');
  return reader;
}

test('a stream reports a prompt and its result without a request, and stays open with events in between', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial('0244123456', 'africastalking', '*713*5*1*20#');
  const stream = await openStream(browser);
  await readUntil(till, stream, 'change');
  await browser.answer('1');
  while (!(await browser.get()).includes('data-prompt')) await readUntil(till, stream, 'change');
  expect((await readUntil(till, stream, 'same')).done).toBe(false);
  await browser.decide({ decision: 'approve', pin: '1234' });
  while (!(await browser.get()).includes('data-state="paid"')) await readUntil(till, stream, 'change');
  await stream.cancel();
});

test('a stream does not keep phones: it reports their end after ten minutes', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial();
  const stream = await openStream(browser);
  await till.clock.advance(9 * 60_000);
  const { text } = await readUntil(till, stream, 'ended');
  expect(text).toContain('event: ended');
  expect((await stream.read()).done).toBe(true);
});

test('a browser has at most four streams, and a stopping gateway ends them', async () => {
  const till = await createPhoneTill();
  const browser = createBrowser(till);
  await browser.dial();
  const streams = [];
  for (let i = 0; i < 4; i++) streams.push(await openStream(browser));
  expect((await browser.request('/phone/events')).status).toBe(503);
  till.gateway().drain();
  for (const stream of streams) await readUntil(till, stream, 'never');
});
