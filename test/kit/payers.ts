import { expect } from 'vitest';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { handlersOf, type LookupHandler } from '../../src/menu/effects/handler.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type { StatementRow } from '../../src/service/statement-query.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import { registerMerchant } from '../../src/testing/programs.ts';
import { type ChannelName, rawSession } from './callback.ts';
import { msisdnOf } from './msisdn.ts';
import { shopMenu } from './shop-menu.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

export const payer = '0244123456';
export const other = '0201234567';

type ShopOptions = Omit<TillOptions, 'configure'> & {
  menu?: Menu;
  handlers?: Record<string, LookupHandler>;
  attendants?: string[];
  timings?: Partial<FileConfig['timings']>;
  limits?: Partial<FileConfig['limits']>;
  configure?: (config: FileConfig) => void;
};

/** Creates a till whose merchant uses `menu`. Payers have no limits unless the test sets them. */
export function createShop(options: ShopOptions = {}): Promise<Till> {
  const { menu = shopMenu(), handlers = {}, attendants = [], timings, limits, ...rest } = options;
  const none = { perHour: null, perDay: null };
  return createTill({
    ...rest,
    service: { limits: { prompts: { burst: 1_000, perMinute: 1_000 } }, ...rest.service },
    configure(config) {
      Object.assign(config.timings, { quoteTimeoutMs: 1_000, ...timings });
      const declines = { maxDeclines: null, coolDownMs: 3_600_000 };
      const requests = { dialler: none, payer: none };
      const ofAttendants = { ...none, maxDeclines: null };
      Object.assign(config.limits, {
        ...{ dialler: none, payer: none, requests, declines, attendants: ofAttendants },
        ...limits,
      });
      config.merchants = config.merchants.map((one) => ({
        ...one,
        menu,
        handlers: handlersOf(Object.entries(handlers)),
        attendants: attendants.map(msisdnOf),
      }));
      options.configure?.(config);
    },
  });
}

/** Adds a second merchant with its own key, on a Nalo channel `other-shop`. Restarts the gateway. */
export async function addOtherShop(till: Till): Promise<void> {
  const { key } = await registerMerchant(till.service, 'Other Shop');
  const [first] = till.config.merchants;
  const [channel] = till.config.channels.filter(({ id }) => id === 'nalo');
  if (!first || !channel) throw new Error('expected a merchant and a Nalo channel to copy');
  till.config.merchants.push({ ...first, id: 'other-shop', name: 'Other Shop', key });
  till.config.channels.push({ ...channel, id: 'other-shop', merchant: 'other-shop' });
  await till.restart();
}

/** A phone with one USSD session at a time that can resend every request. */
export type PayerPhone = {
  /** Opens a new session, whether the previous one ended or not. Returns the screen, as all calls below do. */
  dial(...suffix: string[]): Promise<string>;
  /** Types the inputs, each after the time that a person needs to read the screen. */
  type(...inputs: string[]): Promise<string>;
  /** Types an input at once. */
  send(input: string): Promise<string>;
  /** Types the keys of the options with these labels, each after reading. @throws Error when a label is not shown. */
  press(...words: string[]): Promise<string>;
  /** Resends the last request byte for byte. */
  repeat(): Promise<string>;
  leave(): Promise<void>;
  text(): string;
  kind(): UssdReply['kind'];
  /** Returns the key of the option with this label. @throws Error when the label is not shown. */
  keyOf(label: string): string;
};

let sessions = 0;

/** Longer than the window in which an equal input is a repeat. */
const readingMs = 2_500;

export function createPayerPhone(
  till: Till,
  number: string,
  channel: ChannelName = 'africastalking',
  options: { numberIsSession?: boolean } = {},
): PayerPhone {
  const serviceCode = till.config.channels.find(({ id }) => id === channel)?.serviceCode ?? '';
  const open = (suffix: readonly string[]) =>
    rawSession(till, number, channel, {
      session: options.numberIsSession ? '' : `session-${++sessions}`,
      dialled: [serviceCode.slice(0, -1), ...suffix].join('*').concat('#'),
    });
  let session = open([]);
  let typed: readonly string[] = [];
  let shown: UssdReply | undefined;

  async function sendTyped(): Promise<string> {
    const { simulated, dial, send } = session;
    const { status, contentType, body } = await send(typed);
    const screen = status === 200 ? simulated.read(contentType ?? '', body, dial) : undefined;
    if (!screen) throw new Error(`no screen: HTTP ${status} ${body}`);
    shown = screen;
    return screen.text;
  }
  const phone: PayerPhone = {
    dial(...suffix) {
      session = open(suffix);
      typed = [];
      return sendTyped();
    },
    async type(...inputs) {
      for (const input of inputs) {
        await till.clock.advance(readingMs);
        await phone.send(input);
      }
      return phone.text();
    },
    send(input) {
      typed = [...typed, input];
      return sendTyped();
    },
    async press(...labels) {
      for (const label of labels) {
        const key = phone.keyOf(label);
        // On channels without sequence numbers, the key that led to this screen may be taken for a repeat.
        if ((await phone.type(key)).startsWith('Please type it again.')) await phone.type(key);
      }
      return phone.text();
    },
    repeat: () => sendTyped(),
    async leave() {
      await session.leave(typed);
    },
    text: () => shown?.text ?? '',
    kind: () => shown?.kind ?? 'end',
    keyOf(label) {
      const found = phone
        .text()
        .split('\n')
        .map((one) => /^(\d+)\. (.*)$/.exec(one))
        .find((match) => match?.[2] === label);
      if (!found?.[1]) throw new Error(`no option "${label}" on the screen: ${phone.text()}`);
      return found[1];
    },
  };
  return phone;
}

/** Dials, confirms a payment and returns the last screen. The dialler must not have a built-in screen at the start. */
export async function dialAndConfirm(till: Till, number = payer, amount = '20'): Promise<string> {
  const phone = createPayerPhone(till, number);
  await phone.dial();
  await phone.type('1', amount);
  return phone.press('Yes');
}

export type StoredCollection = {
  id: string;
  merchant: string;
  payer: string;
  dialler: string;
  status: string;
  goodsMinor: number;
  sessionId: string | null;
  retryOf: string | null;
  reason: string | null;
  review: string | null;
  shortReference: string;
  lapsed: 0 | 1;
};

/** Returns every collection of the gateway, oldest first. */
export function storedCollections(till: Till): Promise<StoredCollection[]> {
  return till.ledger.rows<StoredCollection>(
    `SELECT id, merchant_id AS "merchant", payer, dialler, status, goods_minor AS "goodsMinor",
       session_id AS "sessionId", retry_of AS "retryOf", reason, review, short_reference AS "shortReference",
       lapsed_at IS NOT NULL AS "lapsed"
     FROM collection ORDER BY opened_at, id`,
  );
}

/** Returns the status of each collection, oldest first. */
export const statuses = async (till: Till) => (await storedCollections(till)).map(({ status }) => status);

/** Waits until the newest collection has this status and returns it. */
export async function untilNewest(till: Till, status: string, ms = 60_000): Promise<StoredCollection> {
  await till.until(async () => (await storedCollections(till)).at(-1)?.status === status, ms);
  const newest = (await storedCollections(till)).at(-1);
  if (!newest) throw new Error('no collection');
  return newest;
}

/**
 * Compares the service's statement with the ledger: no session has two prompts, no two collections share a session, each
 * prompt belongs to a collection, and exactly the paid collections were charged. Returns the totals of the statement.
 */
export async function checkStatement(
  till: Till,
): Promise<{ pushes: number; sessions: number; chargedMinor: number }> {
  const { sessions, pushes, chargedMinor } = await till.service.statement();
  const collections = await storedCollections(till);
  const bySession = new Map(collections.map((one) => [one.sessionId, one]));
  const sessionIds = collections.flatMap(({ sessionId }) => sessionId ?? []);
  expect(new Set(sessionIds).size).toBe(sessionIds.length);
  for (const session of sessions) expectMatch(session, bySession.get(session.sessionId));
  expect((await till.verify()).faults).toEqual([]);
  return { pushes, sessions: sessions.length, chargedMinor };
}

function expectMatch(session: StatementRow, collection: StoredCollection | undefined): void {
  const { pushes, chargedMinor } = session;
  expect(pushes, `prompts of ${session.sessionId}`).toBeLessThanOrEqual(1);
  if (pushes > 0) expect(collection, `the collection of ${session.sessionId}`).toBeDefined();
  // A session without a collection was never initiated.
  if (!collection) expect(['created', 'expired']).toContain(session.status);
  if (chargedMinor > 0) expect(chargedMinor).toBe(session.amountMinor);
  if (collection?.status === 'paid') expect(chargedMinor).toBeGreaterThan(0);
  if (collection && ['failed', 'expired', 'abandoned'].includes(collection.status))
    expect(chargedMinor).toBe(0);
}
