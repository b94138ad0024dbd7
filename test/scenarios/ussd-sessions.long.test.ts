import { describe, expect, test } from 'vitest';
import { aggregatorNames, aggregators } from '../../src/aggregators/registry.ts';
import type { RawSession } from '../kit/phone.ts';
import { createTill, type Till } from '../kit/till.ts';

const ama = '0244123456';
const kofi = '0201234567';
const session = 'shared-7';

/** Sends the request that follows the inputs, after the time to read a screen. Returns the screen. */
function createPhone(till: Till, one: RawSession) {
  return async (...typed: readonly string[]): Promise<string> => {
    await till.clock.advance(2_500);
    const { contentType, body } = await one.send(typed);
    return one.simulated.read(contentType ?? '', body, one.dial)?.text ?? '';
  };
}

const openPhone = (till: Till, number: string, channel: string, id = session) =>
  createPhone(till, till.session(number, channel, { session: id }));

/** Returns the key of an option that a screen shows. */
const keyOf = (screen: string, option: string) => new RegExp(`(\\d)\\. ${option}`).exec(screen)?.[1] ?? '';

/** Returns whether the requests of a channel say by themselves which step they are: by a mark, or by their text. */
function identityOf(till: Till, channel: string): 'text' | 'mark' | 'none' {
  const { dial, simulated } = till.session(ama, channel);
  const { body, to } = simulated.request(dial, ['1']);
  const [path = '', query = ''] = to.split('?');
  const dialect = aggregators[channel]?.createDialect({
    serviceCode: dial.serviceCode,
    operators: new Map(),
    settings: aggregators[channel]?.settings.parse(dial.settings ?? {}),
  });
  const raw = { body, query: Object.fromEntries(new URLSearchParams(query)), path: path.replace(/^\//, '') };
  const reading = dialect?.decode(raw);
  if (reading?.kind !== 'request') throw new Error(`unreadable on ${channel}`);
  if (reading.request.entry.kind === 'cumulative') return 'text';
  return reading.request.mark === undefined ? 'none' : 'mark';
}

describe.each(aggregatorNames)('through %s', (channel) => {
  test('S01: two phones with one session id have a dialogue each, and pay what each has typed', async () => {
    const till = await createTill();
    const [first, second] = [openPhone(till, ama, channel), openPhone(till, kofi, channel)];
    for (const typed of [[], ['1']]) expect(await second(...typed)).toBe(await first(...typed));
    const [mine, yours] = [await first('1', '20'), await second('1', '30')];
    expect(mine).toContain('GHS 20.00');
    expect(yours).toContain('GHS 30.00');
    expect(await first('1', '20', keyOf(mine, 'Yes'))).toContain('Approve GHS 20.00');
    expect(await second('1', '30', keyOf(yours, 'Yes'))).toContain('Approve GHS 30.00');
    expect((await till.only(ama)).goodsMinor).toBe(2_000);
    expect((await till.only(kofi)).goodsMinor).toBe(3_000);
  });

  test.each([{ left: ['1'] }, { left: ['1', '20'] }, { left: ['1', '20', 'Yes'] }])(
    'S01: a later dial under the same id is answered like one under a new id, after $left',
    async ({ left }) => {
      const walk = async (id: string) => {
        const till = await createTill();
        const typed: string[] = [];
        const phone = openPhone(till, ama, channel);
        let screen = await phone();
        for (const input of left) {
          typed.push(input === 'Yes' ? keyOf(screen, 'Yes') : input);
          screen = await phone(...typed);
        }
        const again = openPhone(till, ama, channel, id);
        const screens = [await again(), await again('8'), await again('8', '1'), await again('8', '1', '50')];
        return { screens, paid: (await till.find(ama)).map(({ goodsMinor }) => goodsMinor) };
      };
      expect(await walk(session)).toEqual(await walk('another-8'));
    },
  );

  test('S01: a mark identifies a repeat only together with its input, and not where the channel numbers no requests', async () => {
    for (const sequenced of [undefined, false]) {
      const till = await createTill({
        configure({ channels }) {
          for (const one of channels) one.sequenced = sequenced;
        },
      });
      const identity = identityOf(till, channel);
      const phone = openPhone(till, ama, channel);
      await phone();
      const amount = await phone('1');
      // The same mark again, with the same input.
      const repeated = await phone('1');
      const isRepeat = identity === 'text' || (identity === 'mark' && sequenced === undefined);
      expect(repeated).toBe(isRepeat ? amount : `Please type it again.\n${amount}`);
      // And with another one.
      if (identity !== 'text') expect(await phone('20')).toContain('GHS 20.00');
    }
  });
});
