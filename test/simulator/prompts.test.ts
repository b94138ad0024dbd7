import { describe, expect, it, test } from 'vitest';
import { awaitPrompt, createPrompts, type PendingPrompt } from '../../src/simulator/prompts.ts';
import { testClock } from '../kit/clock.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { closedUrl, passWaits, startPeer, startServer } from './peer.ts';

const demoPrompt: PendingPrompt = {
  id: 'prm_1',
  session_id: 'pay_1',
  amount_minor: 2020,
  merchant_name: 'Demo Shop',
  expires_at: '2026-03-06T09:05:00.000Z',
};

function number(text: string) {
  return msisdnOf(text);
}
const payer = number('0244123456');

function promptsAt(serviceUrl: string) {
  const clock = testClock();
  return { clock, prompts: createPrompts({ serviceUrl, fetch, clock }) };
}

describe('the simulated phone', () => {
  it('lists pending prompts, and closes them when they are approved or declined', async () => {
    const peer = await startPeer();
    peer.prompts.push(demoPrompt, { ...demoPrompt, id: 'prm_2' });
    const { prompts } = promptsAt(`${peer.url}/`);
    expect(await prompts.pending(payer)).toEqual({ ok: true, prompts: peer.prompts, hasMore: false });
    expect(await prompts.approve('prm_1', '0000')).toMatchObject({ reason: 'rejected', code: 'wrong_pin' });
    expect(await prompts.approve('prm_1', '1234')).toEqual({ ok: true, status: 'approved' });
    expect(await prompts.decline('prm_2')).toEqual({ ok: true, status: 'declined' });
    expect(await prompts.decline('prm_2')).toMatchObject({ reason: 'rejected', code: 'prompt_not_found' });
    expect(await prompts.pending(payer)).toEqual({ ok: true, prompts: [], hasMore: false });
  });

  test.each([
    ['a page', () => new Response('<h1>Hello</h1>')],
    ['another format', () => Response.json({ prompts: [{ id: 7 }] })],
    ['an error in another format', () => Response.json({ oops: true }, { status: 400 })],
    ['an error of the service', () => Response.json({ error: { code: 'x', message: 'y' } }, { status: 500 })],
  ])('is unavailable when it answers %s', async (_, answer) => {
    const server = await startServer(answer());
    expect(await promptsAt(server.url).prompts.pending(payer)).toMatchObject({ reason: 'unavailable' });
  });

  it('is unavailable if the port is closed', async () => {
    const { prompts } = promptsAt(await closedUrl());
    expect(await prompts.pending(payer)).toMatchObject({ ok: false, reason: 'unavailable' });
  });
});

describe('waiting for a prompt', () => {
  it('polls every half second until there is a new prompt, and ignores the known ones', async () => {
    const peer = await startPeer();
    peer.prompts.push({ ...demoPrompt, id: 'prm_old' });
    const { prompts, clock } = promptsAt(peer.url);
    const start = clock.now();
    void clock.sleep(1_200).then(() => peer.prompts.push(demoPrompt));
    const known = new Set(['prm_old']);
    const awaited = await passWaits(
      clock,
      awaitPrompt(prompts, clock, { msisdns: [payer], known, waitMs: 30_000 }),
    );
    expect(awaited).toEqual({ ok: true, prompt: demoPrompt, on: payer });
    expect(clock.now() - start).toBe(1_500);
    expect(peer.polls).toBe(4);
  });

  it('ends at its deadline with a last poll', async () => {
    const peer = await startPeer();
    const { prompts, clock } = promptsAt(peer.url);
    const start = clock.now();
    const options = { msisdns: [payer], known: new Set<string>(), waitMs: 1_200 };
    expect(await passWaits(clock, awaitPrompt(prompts, clock, options))).toEqual({
      ok: true,
      prompt: undefined,
    });
    expect(clock.now() - start).toBe(1_200);
    expect(peer.polls).toBe(4);
  });

  it('ends when it is aborted, and at once when the phone rejects the request', async () => {
    const peer = await startPeer();
    const { prompts, clock } = promptsAt(peer.url);
    const options = { known: new Set<string>(), waitMs: 30_000, signal: AbortSignal.abort() };
    expect(await awaitPrompt(prompts, clock, { ...options, msisdns: [payer] })).toMatchObject({ ok: true });
    expect(await awaitPrompt(prompts, clock, { ...options, msisdns: [number('0201234567')] })).toMatchObject({
      reason: 'rejected',
      code: 'invalid_msisdn',
    });
    expect(peer.polls).toBe(2);
  });
});
