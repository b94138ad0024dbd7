import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { registerDial } from '../../src/cli/commands/dial/dial.ts';
import type { DialConfig } from '../../src/cli/commands/dial/dial-options.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import { createBench } from '../gateway/collection/bench.ts';
import { testClock } from '../kit/clock.ts';
import { runCommand } from '../kit/command.ts';
import { closedUrl, countingIds, type Peer, passWaits, startPeer, startServer } from '../simulator/peer.ts';

type Setting = {
  gatewayUrl: string;
  serviceUrl?: string;
  config?: Partial<DialConfig>;
  /** At a terminal: the keys that the person types after each text has appeared. */
  types?: readonly (readonly [seen: string, keys: string])[];
  noColor?: boolean;
};

/** Runs `dialtill dial` with these arguments, at a terminal when the setting has keys to type. */
function dial(args: readonly string[], { types, noColor = false, ...setting }: Setting) {
  const clock = testClock();
  const tty = types !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const steps = [...(types ?? [])];
  let read = 0;
  const onOutput = (out: string) => {
    const [seen, keys] = steps[0] ?? [];
    const at = seen === undefined ? -1 : out.indexOf(seen, read);
    if (seen === undefined || at < 0) return;
    read = at + seen.length;
    steps.shift();
    stdin.write(keys ?? '');
  };
  const { gatewayUrl, serviceUrl = gatewayUrl } = setting;
  const channel = (aggregator: string) => ({
    id: aggregator,
    aggregator,
    secret: 's3cret',
    serviceCode: '*713*5#',
  });
  const config: DialConfig = {
    channels: [channel('nalo'), channel('africastalking')],
    gatewayUrl,
    serviceUrl,
    simulator: true,
    ...setting.config,
  };
  const deps = { loadConfig: () => config, clock, ids: countingIds(), fetch, stdin };
  const running = runCommand(
    ['dial', ...args],
    (program, streams) => registerDial(program, { ...deps, ...streams }),
    { tty, noColor, onOutput },
  );
  return passWaits(clock, running);
}

const number = ['--msisdn', '0244123456'];
const paid = ['*713*5#', ...number, '--input', '1,20,1'];

function at(peer: Peer): Setting {
  return { gatewayUrl: peer.url };
}

describe('dial without a terminal', () => {
  test.each(['nalo', 'africastalking'])('plays a whole payment through %s', async (channel) => {
    const peer = await startPeer({ latePolls: 3 });
    const { out, err, code } = await dial([...paid, '--channel', channel, '--approve'], at(peer));
    expect(out.split('\n')).toEqual([
      ...['> *713*5#', 'Demo Shop', '1. Pay', '2. Exit'],
      ...['> 1', 'Amount in GHS?', '> 20', 'Pay GHS 20.00?', '1. Yes', '> 1'],
      'Approve the prompt on your phone.',
      'Prompt: pay GHS 20.20 to Demo Shop',
      'Approved.',
      'See it in the ledger: dialtill ledger find 0244123456',
      '',
    ]);
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(peer.prompts).toEqual([]);
    expect(peer.requests.every((one) => one.dialler === '233244123456')).toBe(true);
  });

  test.each([
    [['--approve', '4321'], 'Approved.', 0],
    [['--decline'], 'Declined.', 0],
    [['--ignore'], 'Left unanswered.', 1],
  ])('does %j to the prompt', async (flags, line, left) => {
    const peer = await startPeer();
    const { out, code } = await dial([...paid, ...flags], at(peer));
    expect(out).toContain(line);
    expect(code).toBe(0);
    expect(peer.prompts).toHaveLength(left);
  });

  it('does not wait for a prompt without a decision about it', async () => {
    const peer = await startPeer();
    expect((await dial(paid, at(peer))).code).toBe(0);
    expect(peer.polls).toBe(0);
  });

  it('prints one JSON object and nothing else with --json', async () => {
    const peer = await startPeer();
    const { out, code } = await dial(
      ['*713*5*1*20#', ...number, '--input', '1', '--approve', '--json'],
      at(peer),
    );
    expect(JSON.parse(out)).toEqual({
      screens: ['Pay GHS 20.00?\n1. Yes', 'Approve the prompt on your phone.'],
      ended: true,
      collected: true,
      prompt: {
        id: 'prm_1',
        session_id: 'pay_1',
        amount_minor: 2020,
        merchant_name: 'Demo Shop',
        expires_at: '2026-03-06T09:05:00.000Z',
      },
      outcome: 'approved',
    });
    expect(code).toBe(0);
  });

  it('exits with 1 and prints how to start a gateway when there is none', async () => {
    const gatewayUrl = await closedUrl();
    const { out, err, code } = await dial([...paid, '--json'], { gatewayUrl });
    expect(err).toContain(`no gateway at ${gatewayUrl} (`);
    expect(JSON.parse(out)).toEqual({
      ...{ screens: [], ended: false, collected: null },
      ...{ prompt: null, outcome: 'gateway_failed' },
    });
    expect(code).toBe(1);
  });

  it('exits with 1 when the gateway does not return a screen, and prints no secret', async () => {
    const server = await startServer(new Response('not found', { status: 404 }));
    const { out, err, code } = await dial(paid, { gatewayUrl: server.url });
    expect(err).toContain('did not return a screen (HTTP 404)');
    expect(err).toContain('channel "nalo"');
    expect(out + err).not.toContain('s3cret');
    expect(code).toBe(1);
  });

  it('exits with 1 when there is no simulated phone', async () => {
    const peer = await startPeer();
    const serviceUrl = await closedUrl();
    const { err, code } = await dial([...paid, '--approve'], { gatewayUrl: peer.url, serviceUrl });
    expect(err).toContain(`no simulated phone at ${serviceUrl}`);
    expect(code).toBe(1);
  });

  it('exits with 3 when the session is still open after the last answer', async () => {
    const peer = await startPeer();
    const { err, code } = await dial(['*713*5#', ...number, '--input', '1'], at(peer));
    expect(err).toMatch(
      /^the session is still open, at the screen "[^"\n]+": add an input for it\. .* the first one .*: "[^"\n]+"\n$/,
    );
    expect(code).toBe(3);
    const without = await dial(['*713*5#', ...number], at(peer));
    expect([without.err, without.code]).toEqual([expect.stringContaining('--input 1,20,1'), 3]);
  });

  it('exits with 4 when the session ends without the expected prompt', async () => {
    const peer = await startPeer();
    const args = ['*713*5#', ...number, '--input', '2', '--approve', '--wait', '2'];
    const { err, code } = await dial(args, at(peer));
    expect(err).toContain(
      'no prompt arrived within 2 s: wait longer with --wait, or see the reason with: dialtill ledger find 0244123456',
    );
    expect(code).toBe(4);
    expect(peer.polls).toBe(1 + 5);
  });

  test.each([['--approve'], ['--decline'], ['--ignore']])(
    'with %s, does not answer the prompt of a magic number, reports it, and exits with 0',
    async (flag) => {
      const peer = await startPeer({ magic: 'paid' });
      const { out, err, code } = await dial([...paid, flag], at(peer));
      expect(out).toContain(
        'Prompt: pay GHS 20.20 to Demo Shop\n' +
          '0244123456 is a magic number (paid): it answers the prompt itself. See: dialtill service numbers\n',
      );
      expect({ err, code, decisions: peer.decisions }).toEqual({ err: '', code: 0, decisions: 0 });
      const { out: json } = await dial([...paid, flag, '--json'], at(peer));
      expect(JSON.parse(json)).toMatchObject({ outcome: 'automatic', magic: 'paid', ended: true });
    },
  );

  it('exits with 5 when the PIN is wrong', async () => {
    const peer = await startPeer();
    const { out, err, code } = await dial([...paid, '--approve', '0000'], at(peer));
    expect(out).toContain('Wrong PIN.');
    expect(err).toContain('wrong_pin');
    expect(code).toBe(5);
  });

  it('does not answer a prompt that was open before the dial, and reports it', async () => {
    const peer = await startPeer();
    await dial([...paid, '--ignore'], at(peer));
    const { out } = await dial([...paid, '--approve'], at(peer));
    expect(out).toContain('An older prompt stays open: pay GHS 20.20 to Demo Shop\n');
    expect(peer.prompts.map((one) => one.id)).toEqual(['prm_1']);
  });

  test.each([
    ['typed', ['*713*5#', ...number, '--input', '3,020 123 4567,20,1']],
    ['part of the dialled code', ['*713*5*3*0201234567*20#', ...number, '--input', '1']],
  ])('answers the prompt on another phone whose number was %s', async (_, args) => {
    const peer = await startPeer();
    const { out, code } = await dial([...args, '--approve'], at(peer));
    expect(out).toContain('Prompt on 0201234567: pay GHS 20.20 to Demo Shop\nApproved.\n');
    expect({ code, left: peer.elsewhere }).toEqual({ code: 0, left: [] });
    const { out: json } = await dial([...args, '--decline', '--json'], at(peer));
    expect(JSON.parse(json)).toMatchObject({ outcome: 'declined', promptMsisdn: '0201234567' });
  });

  describe('without a new collection', () => {
    const cancelled = ['*713*5#', ...number, '--input', '2'];

    it('does not wait, exits with 4 when a prompt was expected, and mentions an older prompt', async () => {
      const { file } = createBench();
      const peer = await startPeer();
      const setting = { ...at(peer), config: { database: { file } } };
      const { out, err, code } = await dial([...cancelled, '--approve'], setting);
      expect(err).toBe('the session ended without a new payment, so there is no prompt\n');
      expect(out).not.toContain('ledger');
      // Only the poll before the dial.
      expect({ code, polls: peer.polls }).toEqual({ code: 4, polls: 1 });
      await dial([...paid, '--ignore'], at(peer));
      const again = await dial([...cancelled, '--approve', '--json'], setting);
      expect(again.err).toContain('to answer the older prompt, run: dialtill prompts --msisdn 0244123456');
      expect(JSON.parse(again.out)).toMatchObject({ outcome: 'nothing_collected', collected: false });
    });

    it('does not mention the ledger without a decision, even when there is an older payment', async () => {
      const { open, file } = createBench();
      const peer = await startPeer();
      await open({ dialler: '233244123456' as Msisdn });
      const { out, code } = await dial(cancelled, { ...at(peer), config: { database: { file } } });
      expect(out).not.toContain('ledger');
      expect(code).toBe(0);
    });

    it('waits for the prompt when the ledger is not readable', async () => {
      const peer = await startPeer();
      const setting = { ...at(peer), config: { database: { file: '/nowhere/ledger.db' } } };
      const { err, code } = await dial([...cancelled, '--approve', '--wait', '1'], setting);
      expect(err).toContain('no prompt arrived within 1 s');
      expect(code).toBe(4);
    });
  });

  it('mentions the ledger after a new collection, even without a decision', async () => {
    const { open, file } = createBench();
    const peer = await startPeer({
      ended: async () => void (await open({ dialler: '233244123456' as Msisdn })),
    });
    const { out } = await dial(paid, { ...at(peer), config: { database: { file } } });
    expect(out).toContain('See it in the ledger: dialtill ledger find 0244123456\n');
  });
});

describe('wrong usage exits with 2 and prints the expected value', () => {
  const channels = [{ id: 'shop', aggregator: 'nalo', secret: 's', serviceCode: '*713*5#' }];
  test.each([
    ['no number', ['*713*5#'], 'such as 0244123456'],
    ['a landline', ['*713*5#', '--msisdn', '0302123456'], 'such as 0244123456'],
    ['an unknown operator', ['*713*5#', ...number, '--operator', 'surfline'], 'mtn, telecel, at or glo'],
    ['no code', ['713', ...number], "'*713*5#'"],
    ['an unknown code', ['*999#', ...number], 'the configured codes are *713*5#'],
    ['a longer code', ['*713*55#', ...number], 'the configured codes are *713*5#'],
    ['an unknown channel', ['*713*5#', ...number, '--channel', 'bar'], 'the configured channels are shop'],
    ['two decisions', ['*713*5#', ...number, '--approve', '--decline'], 'choose one'],
    ['a PIN of letters', ['*713*5#', ...number, '--approve', 'abcd'], 'such as 1234'],
    ['an endless wait', ['*713*5#', ...number, '--wait', 'forever'], '0 to 600'],
    [
      'plain HTTP to another machine',
      ['*713*5#', ...number, '--gateway', 'http://pay.example:8080'],
      'neither https',
    ],
    ['a gateway without a scheme', ['*713*5#', ...number, '--gateway', 'localhost:8080'], 'http://'],
  ])('%s', async (_, args, hint) => {
    const { err, code } = await dial(args, { gatewayUrl: 'http://127.0.0.1:8080', config: { channels } });
    expect(err).toContain(hint);
    expect(code).toBe(2);
  });

  test('a decision about a prompt that reaches a real phone', async () => {
    const setting = { gatewayUrl: 'http://127.0.0.1:8080', config: { simulator: false } };
    const { err, code } = await dial([...paid, '--approve'], setting);
    expect(err).toContain('real phones');
    expect(code).toBe(2);
  });
});

describe('the channel', () => {
  const channel = (id: string, serviceCode: string) => ({
    id,
    aggregator: 'nalo',
    secret: 's3cret',
    serviceCode,
  });

  test.each([
    ['*713*5*1*20#', [], 'nalo'],
    ['*713*6#', [], 'short'],
    ['*713*5#', ['--channel', 'africastalking'], 'africastalking'],
  ])('of %s %j is %s', async (code, flags, expected) => {
    const server = await startServer(new Response('x'));
    const channels = [
      channel('short', '*713#'),
      channel('nalo', '*713*5#'),
      channel('africastalking', '*713*5#'),
    ];
    const setting = { gatewayUrl: server.url, config: { channels } };
    const { err } = await dial([code, ...number, ...flags], setting);
    expect(err).toContain(`channel "${expected}"`);
  });

  test('is dialled at --gateway rather than at the configured URL', async () => {
    const peer = await startPeer();
    const { code } = await dial([...paid, '--gateway', `${peer.url}/`], {
      gatewayUrl: await closedUrl(),
      serviceUrl: peer.url,
    });
    expect(code).toBe(0);
  });
});

describe('dial at a terminal', () => {
  const toThePrompt = [
    ['Demo Shop', '1\n'],
    ['Amount', '20\n'],
    ['1. Yes', '1\n'],
  ] as const;

  it('draws a phone, reads inputs, and approves the prompt after a wrong PIN', async () => {
    const peer = await startPeer({ latePolls: 2 });
    const { out, code } = await dial(['*713*5#', ...number], {
      ...at(peer),
      types: [...toThePrompt, ['PIN to approve', '0000\n'], ['Wrong PIN.', '1234\n']],
    });
    expect(out).toContain(
      [
        '┌────────────────────────────────┐',
        '│ *713*5#                        │',
        '├────────────────────────────────┤',
        '│ Demo Shop                      │',
        '│ 1. Pay                         │',
        '│ 2. Exit                        │',
        '└────────────────────────────────┘',
      ].join('\n'),
    );
    expect(out).toContain('│ Pay GHS 20.20 to Demo Shop.    │');
    expect(out).toContain('Approved.');
    expect(out).toContain('dialtill ledger find 0244123456');
    expect(code).toBe(0);
    expect(peer.prompts).toEqual([]);
  });

  test.each([
    ['0\n', 'Declined.', 0],
    ['\n', 'Left unanswered.', 1],
  ])('takes %j for an answer to the prompt: %s', async (keys, line, left) => {
    const peer = await startPeer();
    const types = [...toThePrompt, ['PIN to approve', keys]] as const;
    const { out, code } = await dial(['*713*5#', ...number], { ...at(peer), types });
    expect(out).toContain(line);
    expect(code).toBe(0);
    expect(peer.prompts).toHaveLength(left);
  });

  it('asks for no PIN when a magic number answers the prompt', async () => {
    const peer = await startPeer({ magic: 'declined' });
    const { out, code } = await dial(['*713*5#', ...number], { ...at(peer), types: toThePrompt });
    expect(out).toContain('│ Pay GHS 20.20 to Demo Shop.    │');
    expect(out).toContain('0244123456 is a magic number (declined): it answers the prompt itself.');
    expect(out).not.toContain('PIN');
    expect({ code, decisions: peer.decisions }).toEqual({ code: 0, decisions: 0 });
  });

  it('shows an older prompt and how to answer it', async () => {
    const peer = await startPeer();
    await dial([...paid, '--ignore'], at(peer));
    const types = [
      ['Demo Shop.', ''],
      ['2. Exit', '2\n'],
    ] as const;
    const { out } = await dial(['*713*5#', ...number, '--wait', '0'], { ...at(peer), types });
    expect(out).toContain('An older prompt is open: pay GHS 20.20 to Demo Shop.');
    expect(out).toContain('To answer it, run: dialtill prompts --msisdn 0244123456 --approve');
  });

  it('hangs the prompt on the phone that pays', async () => {
    const peer = await startPeer();
    const types = [
      ['Demo Shop', '3\n'],
      ['Number', '0201234567\n'],
      ['Amount', '20\n'],
      ['1. Yes', '1\n'],
      ['PIN to', '1234\n'],
    ] as const;
    const { out, code } = await dial(['*713*5#', ...number], { ...at(peer), types });
    expect(out).toContain('│ Mobile money of 0201234567     │');
    expect({ code, left: peer.elsewhere }).toEqual({ code: 0, left: [] });
  });

  it('says where to look when no prompt arrives', async () => {
    const peer = await startPeer({ latePolls: 1000 });
    const { out, code } = await dial(['*713*5#', ...number], { ...at(peer), types: toThePrompt });
    expect(out).toContain(
      'No prompt arrived within 30 s. To see the reason, run: dialtill ledger find 0244123456',
    );
    expect(code).toBe(0);
  });

  test.each([
    ['a blank line', '\n'],
    ['ctrl-c', '\u0003'],
    ['ctrl-d', '\u0004'],
  ])('hangs up at %s', async (_, keys) => {
    const peer = await startPeer();
    const { out, code } = await dial(['*713*5#', ...number], { ...at(peer), types: [['Demo Shop', keys]] });
    expect(out).toContain('Hung up.');
    expect(code).toBe(0);
    expect(peer.requests).toHaveLength(1);
  });

  it('does not take what was typed while waiting for a decision about the prompt', async () => {
    const peer = await startPeer({ latePolls: 4 });
    const types = [...toThePrompt, ['Waiting', '1234\n'], ['PIN to approve', '\n']] as const;
    await dial(['*713*5#', ...number], { ...at(peer), types });
    expect(peer.prompts).toHaveLength(1);
  });

  it('stops waiting for a prompt at ctrl-c, and that is no failure', async () => {
    const peer = await startPeer({ latePolls: 1000 });
    const types = [...toThePrompt, ['Waiting', '\u0003']] as const;
    const { code } = await dial(['*713*5#', ...number], { ...at(peer), types });
    expect(code).toBe(0);
    expect(peer.polls).toBeLessThan(10);
  });

  it('is coloured there, and not with NO_COLOR', async () => {
    const peer = await startPeer();
    const types = [['Demo Shop', '2\n']] as const;
    const dim = '\u001b[2m';
    const flags = ['*713*5#', ...number, '--wait', '0'];
    expect((await dial(flags, { ...at(peer), types })).out).toContain(dim);
    expect((await dial(flags, { ...at(peer), types, noColor: true })).out).not.toContain(dim);
    expect((await dial([...flags, '--input', '2'], at(peer))).out).not.toContain('\u001b');
  });
});

test('a screen cannot move the cursor of the terminal', async () => {
  const text = 'Hello\\u001b[2J\\u0007';
  const body = `{"USERID":"DIALTILL","MSISDN":"","MSG":"${text}","MSGTYPE":false}`;
  const server = await startServer(new Response(body, { headers: { 'content-type': 'application/json' } }));
  const { out } = await dial(['*713*5#', ...number], { gatewayUrl: server.url });
  expect(out).toContain('Hello[2J\n');
});
