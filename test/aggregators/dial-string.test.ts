import { describe, expect, it } from 'vitest';
import { demoChannels } from '../../src/aggregators/registry.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import { callbackUrl, type RawSession } from '../kit/phone.ts';
import { createTill, type Till } from '../kit/till.ts';

const number = '0244123456';
const reply = { continue: 'CON {text}', end: 'END {text}' };
const fields = { session: 'sid', number: 'msisdn', input: 'text' };
const marked = { field: 'first', is: true };

/** Descriptions that read the input to find the first request. */
const described: Readonly<Record<string, Record<string, unknown>>> = {
  'no-first': { request: fields, reply },
  'needs-dial': { request: { ...fields, first: { ...marked, needsDial: true } }, reply },
  'same-as': { request: { ...fields, first: { field: 'text', sameAs: 'code' } }, reply },
  dialled: { request: { ...fields, dialled: 'code', first: marked }, reply },
  marked: { request: { ...fields, first: marked, mark: 'hop' }, reply },
  'no-session': { request: { number: 'msisdn', numberAsSession: true, input: 'text' }, reply },
  cumulative: { request: { ...fields, cumulative: true }, reply },
  'cumulative-answers': { request: { ...fields, cumulative: 'answers' }, reply },
  suffix: { request: { ...fields, suffix: 'rest', first: marked }, reply },
  'dialled-only': { request: { ...fields, dialled: 'code' }, reply },
};

/** Creates a till with all built-in aggregators, and with channels of these descriptions of `generic`. */
function createDescribedTill(
  channels: Readonly<Record<string, Record<string, unknown>>> = described,
): Promise<Till> {
  return createTill({
    configure(config) {
      const [generic] = config.channels.filter(({ id }) => id === 'generic');
      if (!generic) throw new Error('no channel generic');
      for (const [id, settings] of Object.entries(channels))
        config.channels.push({ ...generic, id, settings });
    },
  });
}

async function send(session: RawSession, typed: readonly string[] = []): Promise<UssdReply | undefined> {
  const { contentType, body } = await session.send(typed);
  return session.simulated.read(contentType ?? '', body, session.dial);
}

/** The ways in which networks deliver a dialled string. */
const forms: readonly ((dialled: string) => string)[] = [
  (dialled) => dialled,
  (dialled) => dialled.replace(/#$/, ''),
  (dialled) => dialled.replace(/^\*|#$/g, ''),
  (dialled) => dialled.replace(/^\*/, ''),
  (dialled) => `**${dialled.slice(1)}#`,
  (dialled) => dialled.replace(/^\*|\*(?=1\*20#)/g, '#'),
  (dialled) => dialled.replace(/[*#]/g, ' $& '),
];

const names = [...demoChannels.map(({ id }) => id), ...Object.keys(described)];

describe('a dialled string with or without its * and #', () => {
  it('opens a session on every aggregator, with the dialled answers', async () => {
    const till = await createDescribedTill();
    const failures: string[] = [];
    for (const name of names) {
      const { serviceCode } = till.session(number, name).dial;
      for (const form of forms) {
        for (const [answers, expected] of [
          ['', 'Demo Shop'],
          ['*1*20', '20.00'],
        ] as const) {
          const dialled = form(serviceCode.replace('#', `${answers}#`));

          // Without a session id, the dialogue before must be over.
          if (name === 'no-session') await till.clock.advance(3_000);
          const shown = await send(
            till.session(number, name, { session: `s-${dialled.replaceAll(' ', '_')}`, dialled }),
          );
          if (!shown?.text.includes(expected)) failures.push(`${name} ${dialled}: ${shown?.text}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });
});

const screens: Readonly<Record<string, string>> = {
  shop: 'Demo Shop',
  amount: 'Amount in GHS',
  confirm: 'Pay GHS 20.00',
  lost: 'Session ended',
  GHS5: 'Pay GHS 5.00',
  END: 'END ',
};

/** The channel, its service code, and the inputs of one session, each with its screen. */
const conversations: readonly (readonly [title: string, channel: string, code: string, turns: string])[] = [
  ['an input equal to a code of one part', 'no-first', '*20#', '*20# shop, 1 amount, 20 confirm'],
  ['a code of one part without * and #', 'no-first', '*20#', '20 shop, 1 amount, 20 confirm'],
  ['such a code with answers', 'no-first', '*713#', '713*1*20 confirm'],
  ['an input without a dial', 'no-first', '*713*5#', '1 lost'],
  ['the sub-code first', 'no-first', '*713*5#', '5 shop, 1 amount, 5 GHS5'],
  ['an empty first input', 'no-first', '*713*5#', ' shop, 1 amount,  amount, 20 confirm'],
  ['an empty first input beside the dialled string', 'dialled-only', '*713*5#', ' shop, 1 amount'],
  ['any text that is marked as first', 'needs-dial', '*713*5#', 'hello shop, 1 amount, 20 confirm'],
  ['another code that is marked as first', 'needs-dial', '*713*5#', '*999*1 shop, 1 amount'],
  ['the code in a request that is not marked as first', 'marked', '*713*5#', '713*5*1*20 confirm'],
  ['an equal input in a request that is not marked', 'same-as', '*20#', '20 shop, 1 amount, 20 confirm'],
  ['a sub-code first', 'cumulative', '*415*33#', '33 shop, 33*1 amount, 33*1*20 confirm'],
  ['a sub-code that is an option', 'cumulative', '*415*1#', '1 shop, 1*1 amount, 1*1*20 confirm'],
  ['such a sub-code dialled with answers', 'cumulative', '*415*2#', '2*1*20 confirm'],
  ['a sub-code of two parts', 'cumulative', '*415*3*1#', '3*1 shop, 3*1*1 amount'],
  ['the end of a sub-code of two parts', 'cumulative', '*415*3*1#', '1 shop, 1*1 amount'],
  ['the dialled string', 'cumulative', '*415*33#', '*415*33# shop, *415*33*1# amount, *415*33*1*20# confirm'],
  ['it without * and #', 'cumulative', '*415*1#', '415*1 shop, 415*1*1 amount, 415*1*1*20 confirm'],
  ['it dialled with answers', 'cumulative', '*415*1#', '*415*1*1 amount, *415*1*1*20 confirm'],
  ['a code of one part, dialled with answers', 'cumulative', '*415#', '*415*1# amount, *415*1*20# confirm'],
  ['no code', 'cumulative', '*415*33#', ' shop, 1 amount, 1*20 confirm'],
  ['no code, and an answer like the sub-code', 'cumulative', '*415*1#', ' shop, 1 amount, 1*20 confirm'],
  ['a sub-code with #', 'cumulative', '*415*33#', '33# shop, 33*1# amount, 33*1*20# confirm'],
  ['a sub-code with * and #', 'cumulative', '*415*33#', '*33# shop, *33*1# amount, *33*1*20# confirm'],
  ['the dialled string, then no code', 'cumulative', '*415*33#', '*415*33# shop, 1 amount, 1*20 confirm'],
  ['answers dialled, then no code', 'cumulative', '*415*33#', '*415*33*1# amount, 1*20 confirm'],
  [
    'the dialled string, then the sub-code',
    'cumulative',
    '*415*33#',
    '*415*33# shop, 33*1 amount, 33*1*20 confirm',
  ],
  [
    'the dialled string with its #',
    'cumulative',
    '*415*33#',
    '*415*33# shop, *415*33#*1 amount, *415*33#*1*20 confirm',
  ],
  ['a dialled string between blanks', 'cumulative', '*415*33#', ' *415*33# shop,  *415*33*1#  amount'],
  ['encoded signs', 'cumulative', '*415*33#', '%2A415*33%23 shop, *415*33*1%23 amount'],
  ['encoded signs of another aggregator', 'no-first', '*415*33#', '*415*33%2a1%23 amount, 20%23 confirm'],
  [
    'the dialled string, then no code, without a sub-code',
    'cumulative-answers',
    '*415*1#',
    '*415*1# shop, 1 amount, 1*20 confirm',
  ],
  ['the whole string where only answers are expected', 'suffix', '*713*5#', '*713*5*1*20# confirm'],
  ['blanks', 'cumulative-answers', '*415*1#', '   shop, 1 amount, 1*20 confirm'],
  ['an answer with #', 'cumulative', '*415*33#', '33 shop, 33*1# amount, 33*1#*20# confirm'],
  ['answers like a sub-code', 'cumulative-answers', '*415*1#', '1 amount, 1*20 confirm'],
  ['the sub-code with answers', 'no-first', '*713*5#', '5*1*20 confirm, 1 END'],
  ['the sub-code with answers and its * and #', 'no-first', '*713*5#', '*5*1*20# confirm'],
  ['the sub-code with answers, marked as first', 'needs-dial', '*713*5#', '5*1*20 confirm'],
  ['another code without its #', 'no-first', '*713*5#', '*999*1 shop, 1 amount, 20 confirm'],
  ['an amount with a point', 'no-first', '*713*5#', '*713*5*1*20.00# confirm'],
  ['the answers behind the #', 'no-first', '*713*5#', '*713*5#*1*20 confirm'],
  ['signs twice', 'cumulative', '*415*33#', '**415*33## shop, **415*33*1## amount, **415*33*1*20## confirm'],
  [
    'a # before each answer',
    'cumulative',
    '*415*33#',
    '*415*33# shop, *415*33#1 amount, *415*33#1#20 confirm',
  ],
  ['a # behind each answer', 'cumulative', '*415*33#', '33# shop, 33#1# amount, 33#1#20# confirm'],
  ['a # first', 'cumulative', '*415*33#', '#415*33# shop, #415*33*1# amount'],
  ['a # first and the sub-code', 'cumulative', '*415*33#', '#33# shop, #33*1# amount, #33*1*20# confirm'],
  ['only the first request has the sub-code', 'cumulative', '*415*33#', '33 shop, 1 amount, 1*20 confirm'],
  ['only the first request is empty', 'cumulative', '*415*33#', ' shop, 33*1 amount, 33*1*20 confirm'],
  [
    'the sub-code, then the whole code',
    'cumulative',
    '*415*33#',
    '33 shop, *415*33*1# amount, 415*33*1*20 confirm',
  ],
  ['an empty answer', 'cumulative', '*415*33#', '33 shop, 33*1 amount, 33*1* amount, 33*1**20 confirm'],
  [
    'an empty answer behind the whole code',
    'cumulative',
    '*415*33#',
    '*415*33# shop, *415*33*1# amount, *415*33*1*# amount, *415*33*1**20# confirm',
  ],
  ['an amount like the sub-code', 'cumulative', '*415*20#', '20 shop, 20*1 amount, 20*1*20 confirm'],
  ['an amount like the code', 'cumulative', '*20#', '20 shop, 20*1 amount, 20*1*20 confirm'],
  ['an amount like the code, dialled', 'cumulative', '*20#', '*20# shop, *20*1# amount, *20*1*20# confirm'],
  [
    'an amount like the sub-code, without the code',
    'cumulative',
    '*415*20#',
    ' shop, 1 amount, 1*20 confirm',
  ],
  ['a sub-code with a zero', 'cumulative', '*415*03#', '03 shop, 03*1 amount, 03*1*20 confirm'],
  ['a long code', 'cumulative', '*415*33*7*2#', '7*2 shop, 7*2*1 amount, 7*2*1*20 confirm'],
  ['its end', 'cumulative', '*415*33*7*2#', '33*7*2 shop, 33*7*2*1 amount, 33*7*2*1*20 confirm'],
  [
    'a sub-code and an amount with a point',
    'cumulative',
    '*415*33#',
    '33 shop, 33*1 amount, 33*1*20.00 confirm',
  ],
  ['a number in front', 'cumulative', '*415*33#', '33*1*20 confirm, 33*1*20*1 END'],
];

function turnsOf(turns: string): { text: string; screen: string }[] {
  return turns.split(', ').map((turn) => {
    const at = turn.lastIndexOf(' ');
    return { text: turn.slice(0, at), screen: screens[turn.slice(at + 1)] ?? '' };
  });
}

it('reads the inputs of a session by its first request', async () => {
  const till = await createTill({
    configure(config) {
      const [generic] = config.channels.filter(({ id }) => id === 'generic');
      if (!generic) throw new Error('no channel generic');
      for (const [i, [, name, serviceCode]] of conversations.entries())
        config.channels.push({ ...generic, id: `c-${i}`, serviceCode, settings: described[name] });
    },
  });
  const failures: string[] = [];
  for (const [i, [title, name, code, turns]] of conversations.entries()) {
    const url = callbackUrl(till, `c-${i}`);
    for (const [turn, { text, screen }] of turnsOf(turns).entries()) {
      const first = name === 'needs-dial' || name === 'suffix';
      const body = JSON.stringify({
        sid: `s-${i}`,
        msisdn: `02441234${i + 10}`,
        text,
        rest: text,
        code,
        first,
        hop: turn,
      });
      for (const attempt of ['', ' again']) {
        const answer = await (await till.request(url, { method: 'POST', body })).text();
        if (screen === '' || !answer.includes(screen))
          failures.push(`${title}: ${text}${attempt}: ${answer}`);
      }
      await till.clock.advance(3_000);
    }
  }
  expect(failures).toEqual([]);
});

it('opens a dialogue after the end for a payer without a session id', async () => {
  const till = await createDescribedTill({ plain: described['no-session'] ?? {} });
  const url = callbackUrl(till, 'plain');
  const text = async (input: string) => {
    await till.clock.advance(3_000);
    const body = JSON.stringify({ msisdn: number, text: input });
    return (await till.request(url, { method: 'POST', body })).text();
  };
  expect(await text('700*5')).toContain(screens.shop);
  expect(await text('1')).toContain(screens.amount);
  // A dial in the dialogue is a redial.
  expect(await text('700*5*1*20')).toContain(screens.confirm);
  expect(await text('1')).toMatch(/^END/);
  expect(await text('')).toMatch(/^CON/);
});

it('opens a dialogue when answers are dialled under the id of a session that is over', async () => {
  const till = await createDescribedTill({ shared: described.cumulative ?? {} });
  const url = callbackUrl(till, 'shared');
  const text = async (input: string) => {
    const body = JSON.stringify({ sid: 's-1', msisdn: number, text: input });
    return (await till.request(url, { method: 'POST', body })).text();
  };
  expect(await text('*700*5#')).toContain(screens.shop);
  expect(await text('*700*5*1#')).toContain(screens.amount);
  await till.clock.advance(3_600_000);
  expect(await text('*700*5*1*20#')).toContain(screens.confirm);
  expect(await text('*700*5*1*20*1#')).toMatch(/^END/);
  await till.clock.advance(3_000);
  expect(await text('*700*5*1*30#')).toMatch(/^CON/);
});

it('reads a query whose signs are encoded twice', async () => {
  const till = await createDescribedTill({ plain: described['no-first'] ?? {} });
  const query = 'sid=s-1&msisdn=%252B233244123456&text=%252A700%252A5%2523';
  expect(await (await till.request(`${callbackUrl(till, 'plain')}?${query}`)).text()).toContain(screens.shop);
});
