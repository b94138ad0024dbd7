import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { handlersOf, type LookupHandler } from '../../src/menu/effects/handler.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type { StatementRow } from '../../src/service/statement-query.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import { registerMerchant } from '../../src/testing/programs.ts';
import { type ChannelName, callbackUrl } from './callback.ts';
import { shopMenu } from './shop-menu.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

export const payer = '0244123456';
export const other = '0201234567';

type ShopOptions = Omit<TillOptions, 'configure'> & {
  menu?: Menu;
  handlers?: Record<string, LookupHandler>;
  attendants?: string[];
  timings?: Partial<Config['timings']>;
  limits?: Partial<Config['limits']>;
  configure?: (config: Config) => void;
};

/** A till whose merchant has that menu. No limit of what a payer may do, unless the test sets one. */
export function createShop(options: ShopOptions = {}): Promise<Till> {
  const { menu = shopMenu(), handlers = {}, attendants = [], timings, limits, ...rest } = options;
  const none = { perHour: null, perDay: null };
  return createTill({
    ...rest,
    service: { limits: { prompts: { burst: 1_000, perMinute: 1_000 } }, ...rest.service },
    configure(config) {
      Object.assign(config.timings, { quoteTimeoutMs: 1_000, ...timings });
      const declines = { maxDeclines: null, coolDownMs: 3_600_000 };
      Object.assign(config.limits, { dialler: none, payer: none, declines, ...limits });
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

/** One more merchant with a key of its own, on a channel `other-shop` of Nalo's. Restarts the gateway. */
export async function addOtherShop(till: Till): Promise<void> {
  const { key } = await registerMerchant(till.service, 'Other Shop');
  const [first] = till.config.merchants;
  const [channel] = till.config.channels.filter(({ id }) => id === 'nalo');
  if (!first || !channel) throw new Error('no merchant to be like');
  till.config.merchants.push({ ...first, id: 'other-shop', name: 'Other Shop', key });
  till.config.channels.push({ ...channel, id: 'other-shop', merchant: 'other-shop' });
  await till.restart();
}

export function msisdnOf(number: string) {
  const msisdn = parseMsisdn(number);
  if (!msisdn) throw new Error(`no number: ${number}`);
  return msisdn;
}

/** A phone on one USSD session at a time, whose every request can be sent again. */
export type PayerPhone = {
  /** Opens a session, whatever became of the one before. */
  dial(...along: string[]): Promise<string>;
  /** Reads, then types. */
  type(...inputs: string[]): Promise<string>;
  /** Types without having read. */
  send(input: string): Promise<string>;
  /** Reads, then types the key beside a word on the screen. Throws when there is none. */
  press(...words: string[]): Promise<string>;
  /** The last request, byte for byte. */
  repeat(): Promise<string>;
  leave(): Promise<void>;
  text(): string;
  kind(): UssdReply['kind'];
  /** The key beside a word on the screen. */
  keyOf(word: string): string;
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
  const msisdn = msisdnOf(number);
  const settings = till.config.channels.find(({ id }) => id === channel);
  const simulated = simulatedAggregators[settings?.aggregator ?? ''];
  if (!simulated || !settings) throw new Error(`no channel ${channel}`);
  const { serviceCode } = settings;
  const dialOf = (along: readonly string[]) => ({
    session: options.numberIsSession ? '' : `session-${++sessions}`,
    msisdn,
    operator: operatorByPrefix(msisdn),
    serviceCode,
    dialled: [serviceCode.slice(0, -1), ...along].join('*').concat('#'),
    settings: settings.settings,
  });
  let dial = dialOf([]);
  let typed: readonly string[] = [];
  let shown: UssdReply | undefined;

  async function exchange({ method, to, contentType, body }: WireRequest) {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const answer = await till.gateway().app.request(`${callbackUrl(till, channel)}${to}`, init);
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      body: await answer.text(),
    };
  }
  async function hop(): Promise<string> {
    const asked = dial;
    const { status, type, body } = await exchange(simulated?.request(dial, typed) as WireRequest);
    const screen = status === 200 ? simulated?.read(type, body, asked) : undefined;
    if (!screen) throw new Error(`no screen: HTTP ${status} ${body}`);
    shown = screen;
    return screen.text;
  }
  const phone: PayerPhone = {
    dial(...along) {
      dial = dialOf(along);
      typed = [];
      return hop();
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
      return hop();
    },
    async press(...words) {
      for (const word of words) {
        const key = phone.keyOf(word);
        // A key that led to the screen may be a copy, where only time tells.
        if ((await phone.type(key)).startsWith('Please type it again.')) await phone.type(key);
      }
      return phone.text();
    },
    repeat: () => hop(),
    async leave() {
      if (!simulated.endNotice) throw new Error(`${channel} sends no end notice`);
      await exchange(simulated.endNotice(dial, typed));
    },
    text: () => shown?.text ?? '',
    kind: () => shown?.kind ?? 'end',
    keyOf(word) {
      const found = phone
        .text()
        .split('\n')
        .map((one) => /^(\d+)\. (.*)$/.exec(one))
        .find((match) => match?.[2] === word);
      if (!found?.[1]) throw new Error(`no ${word} on: ${phone.text()}`);
      return found[1];
    },
  };
  return phone;
}

/** Dials and agrees, and returns the last screen. The dialler must have nothing that is shown first. */
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

/** Every collection that the gateway has, oldest first. */
export function storedCollections(till: Till): StoredCollection[] {
  const file = new Database(till.config.database.file, { readonly: true });
  try {
    const rows = file.prepare(
      `SELECT id, merchant_id AS merchant, payer, dialler, status, goods_minor AS goodsMinor, session_id AS sessionId,
         retry_of AS retryOf, reason, review, short_reference AS shortReference, lapsed_at IS NOT NULL AS lapsed
       FROM collection ORDER BY rowid`,
    );
    return rows.all() as StoredCollection[];
  } finally {
    file.close();
  }
}

/** The status of each collection, oldest first. */
export const statuses = (till: Till) => storedCollections(till).map(({ status }) => status);

/** Waits until the newest collection has this status. */
export async function untilNewest(till: Till, status: string, ms = 60_000): Promise<StoredCollection> {
  await till.until(() => storedCollections(till).at(-1)?.status === status, ms);
  const newest = storedCollections(till).at(-1);
  if (!newest) throw new Error('no collection');
  return newest;
}

export async function decline(till: Till, number = payer): Promise<void> {
  await till.service.phone.decline((await till.prompt(number)).id);
}

/**
 * Asks the service's own book: no session has two prompts, no collection two sessions, each prompt belongs to a
 * collection, and money was taken for exactly those that say so. Returns what the book says in all.
 */
export async function checkStatement(
  till: Till,
): Promise<{ pushes: number; sessions: number; chargedMinor: number }> {
  const { sessions, pushes, chargedMinor } = await till.service.statement();
  const collections = storedCollections(till);
  const bySession = new Map(collections.map((one) => [one.sessionId, one]));
  const pinned = collections.flatMap(({ sessionId }) => sessionId ?? []);
  expect(new Set(pinned).size).toBe(pinned.length);
  for (const session of sessions) expectTold(session, bySession.get(session.sessionId));
  expect((await till.verify()).faults).toEqual([]);
  return { pushes, sessions: sessions.length, chargedMinor };
}

function expectTold(session: StatementRow, collection: StoredCollection | undefined): void {
  const { pushes, chargedMinor } = session;
  expect(pushes, `prompts of ${session.sessionId}`).toBeLessThanOrEqual(1);
  if (pushes > 0) expect(collection, `the collection of ${session.sessionId}`).toBeDefined();
  // Nobody agreed to it: it was never driven.
  if (!collection) expect(['created', 'expired']).toContain(session.status);
  if (chargedMinor > 0) expect(chargedMinor).toBe(session.amountMinor);
  if (collection?.status === 'paid') expect(chargedMinor).toBeGreaterThan(0);
  if (collection && ['failed', 'expired', 'abandoned'].includes(collection.status))
    expect(chargedMinor).toBe(0);
}
