import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectionStore } from '../../../src/gateway/collection/store/collection-store.ts';
import { answerRequest } from '../../../src/gateway/dialogue/answer-request.ts';
import { createChannel } from '../../../src/gateway/dialogue/channel.ts';
import { diallerStore } from '../../../src/gateway/dialogue/dialler-store.ts';
import { endDialogue, isSessionAlive } from '../../../src/gateway/dialogue/end-session.ts';
import { turnStore } from '../../../src/gateway/dialogue/turn-store.ts';
import type { DialogueDeps } from '../../../src/gateway/dialogue/types.ts';
import { createMetrics } from '../../../src/gateway/metrics/metrics.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import type { Entry, UssdRequest } from '../../../src/shared/ussd.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { createQueryBuilder, type Store } from '../../../src/sqlite/store.ts';
import { testClock } from '../../kit/clock.ts';
import { aggregatorOf } from '../../kit/dialects.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { channelNames } from '../../kit/phone.ts';
import { testConfig } from '../../kit/till.ts';

const payer = '233244123456' as Msisdn;
type Trips = { reads: number; writes: number };

/** A store that counts round trips: queries that are sent together count once, and so does each batch. */
function countingStore(file: string, clock: DialogueDeps['clock']) {
  const trips: Trips = { reads: 0, writes: 0 };
  const queries: string[] = [];
  const written = createSqliteStore({ file, schema: 'gateway', clock });
  const connection = new Database(file, { readonly: true });
  onTestFinished(async () => {
    connection.close();
    await written.close();
  });
  let isInFlight = false;
  const query: Store['query'] = async (sql, args, result) => {
    if (!isInFlight) trips.reads++;
    queries.push(sql);
    isInFlight = true;
    setImmediate(() => {
      isInFlight = false;
    });
    const statement = connection.prepare(sql).raw(true);
    return result === 'row' ? statement.get(...args) : statement.all(...args);
  };
  const apply: Store['apply'] = (batch, signal) => {
    trips.writes++;
    return written.apply(batch, signal);
  };
  return { store: { ...written, query, read: createQueryBuilder(query), apply }, trips, queries };
}

/** A channel's dialogues on a counting store. */
function createDialogues(name: string) {
  const folder = temporaryFolder();
  const clock = testClock();
  const { store, trips, queries } = countingStore(join(folder, 'gateway.db'), clock);
  const config = testConfig(folder, 'sk_test_0123456789abcdef');
  const { merchants, channels } = config;
  const [merchant] = merchants;
  const settings = channels.find(({ id }) => id === name);
  if (!merchant || !settings) throw new Error(`no channel ${name}`);
  const delays = { mtn: 0, telecel: 0, at: 0, glo: 0, unknown: 0 };
  const channel = createChannel(
    aggregatorOf(name),
    settings,
    { ...merchant, attendants: new Set(), livemode: 0 },
    delays,
  );
  const deps: DialogueDeps = {
    turns: turnStore(store),
    diallers: diallerStore(store),
    collections: collectionStore(store),
    quotes: { ask: async () => undefined, find: async () => undefined, isRejected: () => false },
    health: { isRefusing: () => false, isWarning: () => false, tryProbe: () => false },
    lookup: async () => ({ kind: 'none' }),
    metrics: createMetrics(),
    clock,
    ids: systemIds(clock),
    settings: {
      ...config.timings,
      limits: config.limits,
      networks: config.service.networks,
      home: null,
      approvals: config.approvals,
    },
  };

  async function counted<T>(work: () => Promise<T>): Promise<{ answer: T } & Trips> {
    // Queries from before the call do not count.
    await new Promise((resolve) => setImmediate(resolve));
    const before = { ...trips };
    const answer = await work();
    return { answer, reads: trips.reads - before.reads, writes: trips.writes - before.writes };
  }

  /** The entry after these inputs, as this channel's aggregator sends it. */
  function entryOf(typed: readonly string[]): Entry {
    if (name === 'africastalking') return { kind: 'cumulative', text: typed.join('*') };
    const input = typed.at(-1);
    return input === undefined ? { kind: 'dialled', suffix: [] } : { kind: 'typed', input };
  }

  // What another process on the same database would remember.
  const other = { ...deps, turns: turnStore(store) };
  const dialogues = {
    queries,
    turn(session: string, typed: readonly string[], by = deps) {
      const request: UssdRequest = { session, dialler: payer, operator: 'mtn', entry: entryOf(typed) };
      return counted(() => answerRequest(by, channel, request, { onCollection: () => {} }));
    },
    /** A request in the gateway's own form. */
    request(session: string, entry: Entry, mark: string) {
      const request: UssdRequest = { session, dialler: payer, operator: 'mtn', entry, mark };
      return answerRequest(deps, channel, request, { onCollection: () => {} });
    },
    /** The same turn in another process. */
    turnElsewhere: (session: string, typed: readonly string[]) => dialogues.turn(session, typed, other),
    /** Types the inputs one after another, a few seconds apart. */
    async walk(session: string, typed: readonly string[]) {
      for (let count = 0; count <= typed.length; count++) {
        await dialogues.turn(session, typed.slice(0, count));
        await clock.advance(2_500);
      }
    },
    end: (session: string) =>
      counted(() => endDialogue(deps, channel, { session, dialler: payer }, 'cancelled')),
    ask: (session: string) => counted(() => isSessionAlive(deps, channel, { session, dialler: payer })),
  };
  return dialogues;
}

describe.each(channelNames)('on %s, a turn is at most one read, and one write:', (name) => {
  test('the dial', async () => {
    const dialogues = createDialogues(name);
    const { answer, ...trips } = await dialogues.turn('s-1', []);
    expect(answer.reply.text).toContain('1. Pay');
    expect(trips).toEqual({ reads: 1, writes: 1 });
  });

  test('a valid and an invalid input', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', []);
    expect(await dialogues.turn('s-1', ['9'])).toMatchObject({ reads: 0, writes: 1 });
    expect(await dialogues.turn('s-1', ['9', '1'])).toMatchObject({ reads: 0, writes: 1 });
  });

  test('an input in another process than the one before, which reads the session only', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    const before = dialogues.queries.length;
    expect(await dialogues.turnElsewhere('s-1', ['1', '20'])).toMatchObject({ reads: 1, writes: 1 });
    expect(dialogues.queries.slice(before)).toEqual([expect.stringContaining('from "turn"')]);
  });

  test('a confirmation that opens a collection', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1', '20']);
    const { answer, ...trips } = await dialogues.turn('s-1', ['1', '20', '1']);
    expect(answer.reply.text).toContain('Approve GHS 20.00');
    expect(answer.turn?.collectionId).toMatch(/^col_/);
    expect(trips).toEqual({ reads: 1, writes: 1 });
  });

  test('a confirmation that shows the open collection', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1', '20', '1']);
    // The channel's key for a new payment.
    const newPayment = name === 'nalo' ? '8' : '2';
    await dialogues.walk('s-2', [newPayment, '1', '30']);
    const { answer, ...trips } = await dialogues.turn('s-2', [newPayment, '1', '30', '1']);
    expect(answer.reply.text).toContain('GHS 20.00 to Demo Shop is already waiting.');
    expect(trips).toEqual({ reads: 1, writes: 1 });
  });

  test('an end notice', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    expect(await dialogues.end('s-1')).toMatchObject({ reads: 1, writes: 1 });
  });
});

describe.each(channelNames)('on %s, a turn that another process has written', (name) => {
  test('is the answer to its input, which this process takes for the next one', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    const elsewhere = await dialogues.turnElsewhere('s-1', ['1', '20']);
    const repeated = await dialogues.turn('s-1', ['1', '20']);
    expect(repeated.answer.reply).toEqual(elsewhere.answer.reply);
    expect(repeated.writes).toBe(1);
  });

  test('is the state that the next input continues', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    await dialogues.turnElsewhere('s-1', ['1', '20']);
    await dialogues.turn('s-1', ['1', '20']);
    const confirmed = await dialogues.turn('s-1', ['1', '20', '1']);
    expect(confirmed.answer.reply.text).toContain('Approve GHS 20.00');
    expect(confirmed.answer.turn?.sequence).toBe(4);
  });
});

describe.each(channelNames)('on %s, one read and no write:', (name) => {
  test('an immediate repeat, of an input and of the END screen', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    const first = await dialogues.turn('s-1', ['1', '20']);
    const { answer, ...trips } = await dialogues.turn('s-1', ['1', '20']);
    expect(answer.reply).toEqual(first.answer.reply);
    expect(trips).toEqual({ reads: 1, writes: 0 });
    await dialogues.walk('s-1', ['1', '20', '1']);
    expect(await dialogues.turn('s-1', ['1', '20', '1'])).toMatchObject({ reads: 1, writes: 0 });
  });

  test('an input after the session has ended', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', []);
    await dialogues.end('s-1');
    expect(await dialogues.turn('s-1', ['1'])).toMatchObject({ reads: 1, writes: 0 });
  });

  test('a repeated end notice, and one of an unknown session', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    await dialogues.end('s-1');
    expect(await dialogues.end('s-1')).toMatchObject({ reads: 1, writes: 0 });
    expect(await dialogues.end('s-2')).toMatchObject({ reads: 1, writes: 0 });
  });

  test('a check whether a session is alive', async () => {
    const dialogues = createDialogues(name);
    await dialogues.walk('s-1', ['1']);
    expect(await dialogues.ask('s-1')).toEqual({ answer: true, reads: 1, writes: 0 });
    expect(await dialogues.ask('s-2')).toEqual({ answer: false, reads: 1, writes: 0 });
  });
});

test('a late copy of a first request, which only its session shows to be one, gets the answer of the first', async () => {
  const dialogues = createDialogues('nalo');
  const first: Entry = { kind: 'typed', input: '713*1', suffix: ['1'] };
  const { reply } = await dialogues.request('s-1', first, 'request-a');
  expect(reply.text).toContain('Amount');
  await dialogues.request('s-1', { kind: 'typed', input: '20' }, 'request-b');
  expect(await dialogues.request('s-1', first, 'request-a')).toMatchObject({ reply, isRepeat: true });
});
