import { expect } from 'vitest';
import { africastalking } from '../../src/aggregators/africastalking/africastalking.ts';
import type { WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { withDatabase } from '../kit/with-database.ts';
import { type Shop, serviceCode, ussdUrl } from './shop.ts';

/** The inputs from the first screen to the confirmation. */
const inputs = ['1', '20', '1'];

/** The aggregator repeats a request that was not answered after this time, in ms. */
const answerWithinMs = 10_000;

/** Screens that report that no turn was stored: the database failed, or the time was up. */
const noTurn = /Please try again\.|we are slow now/;

/** A payer whose aggregator repeats each request, byte for byte, until it is answered. */
export type Payer = {
  msisdn: string;
  /** Sends one request once. Resolves with `undefined` without a response, or when no turn was stored. */
  request(typed: readonly string[]): Promise<string | undefined>;
  /**
   * Dials and confirms, across restarts of the gateway. Resolves with the END screen.
   *
   * @param answered the requests that were answered before.
   */
  confirm(answered?: number): Promise<string>;
  /** Expects that a repeated END request returns the same bytes. */
  expectSameEnd(end: string): Promise<void>;
  /** Waits for the prompt and answers it, unless the collection ends without one. */
  answer(how: 'approves' | 'declines'): Promise<void>;
  /** Waits for the prompt and types the PIN. */
  approve(): Promise<void>;
};

let sessions = 0;

/** Returns a payer's number that is not a magic number of the simulated rail. */
export const numberOf = (payer: number) =>
  `024${String(4_000_000 + Math.floor(payer / 500) * 1_000 + (payer % 500))}`;

export function createPayer(shop: Shop, number: string): Payer {
  const msisdn = msisdnOf(number);
  const session = `session-${++sessions}`;
  const dial = { session, msisdn, operator: 'mtn', serviceCode, dialled: serviceCode } as const;

  async function exchange({ contentType, body }: WireRequest): Promise<string | undefined> {
    try {
      const url = ussdUrl({ url: shop.url() });
      const signal = AbortSignal.timeout(answerWithinMs);
      const headers = { 'content-type': contentType };
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      const text = await answer.text();
      return answer.status === 200 && !noTurn.test(text) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  const ask = (typed: readonly string[]) => exchange(africastalking.simulated.request(dial, typed));
  async function insist(typed: readonly string[]): Promise<string> {
    for (let tries = 0; tries < 2_000; tries++) {
      const answer = await ask(typed);
      if (answer !== undefined) return answer;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('no screen');
  }

  return {
    msisdn,
    request: ask,
    async confirm(answered = 0) {
      let screen = '';
      for (let typed = answered; typed <= inputs.length; typed++)
        screen = await insist(inputs.slice(0, typed));
      expect(screen).toMatch(/^END Approve GHS 20\.[02]0 /);
      return screen;
    },
    expectSameEnd: async (end) => expect(await insist(inputs)).toBe(end),
    async answer(how) {
      const closed = 'SELECT 1 FROM collection WHERE payer = ? AND id NOT IN (SELECT collection_id FROM job)';
      const isClosed = () =>
        withDatabase(shop.database, (file) => file.prepare(closed).get(msisdn), {
          readonly: true,
          timeout: 2_000,
        });
      for (;;) {
        const [prompt] = await shop.service.phone.pending(msisdn);
        if (prompt && how === 'approves') await shop.service.phone.approve(prompt.id, '1234');
        if (prompt && how === 'declines') await shop.service.phone.decline(prompt.id);
        if (prompt || isClosed()) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    approve: () => shop.approve(number),
  };
}
