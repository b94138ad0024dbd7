import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { serviceOperations } from '../../src/contract/service/service-operations.ts';
import { staffOperations } from '../../src/gateway/staff/operations.ts';
import { programContext } from './support.ts';

/* The examples in the help of the commands are run, and the requests that they send are recorded. */

const groups = [
  'service',
  'ledger',
  'review',
  'unplaced',
  'block',
  'merchant',
  'staff',
  'reload',
  'statement',
];

/** Commands that run until they are ended, or ask a person. */
const endless = ['start', 'listen', 'trigger', 'sign-in'];

/** The operations that no command sends, and why. */
const withoutCommand = {
  'POST /staff/v1/collections/:id/block': 'page of a collection; "block add" names the number',
  'POST /staff/v1/collections/:id/unblock': 'page of a collection; "block remove" names the number',
  'POST /staff/v1/collections/:id/resend':
    'page of a collection; "merchant endpoints resend" names the event',
  'GET /staff/v1/reviews': '"review list" reads by name',
  'GET /staff/v1/reviews/:id': '"review show" reads by name; "review propose" sends it without --version',
  'GET /staff/v1/unplaced': '"unplaced list" reads by name',
  'GET /staff/v1/unplaced/:id': '"unplaced show" reads by name; proposals send it without --version',
  'POST /staff/v1/days/:id/close': 'the person confirms the totals that the page of the day shows',
  'POST /staff/v1/days/:id/statement': '"statement import" sends the content of a file, which must exist',
  'GET /staff/v1/deciders': 'the page of a person shows who waits; "staff accept" names the person',
  'GET /staff/v1/endpoints/:id': '"merchant endpoints list" shows the same fields of all endpoints',
  'POST /staff/v1/endpoints/:id/change': 'page of an endpoint; commands add another one and remove the first',
};

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

const preview = {
  proposal: {
    ...{ id: 'prp_1', subjectKind: 'collection', subjectId: 'col_1', merchantId: 'shop', state: 'open' },
    ...{ outcome: 'accept', evidence: 'line 12', reference: null, versionSeen: 1, decidedBy: null },
    ...{ targetId: null, targetVersion: null, proposedBy: 'kofi' },
    ...{ proposedAt: '2026-03-06T09:00:00.000Z', endsAt: '2026-03-07T09:00:00.000Z' },
  },
  ...{ sentence: 'Book it.', amountMinor: 2_000, stale: null, subjectVersion: 1, refusal: null },
  postings: [],
  obstacle: 'a person must not be asked',
};

const sent: string[] = [];

/** Records a request. The service answers as in its document; the answers of the gateway are not readable, save a proposal. */
const record: typeof fetch = async (input, { method = 'GET' } = {}) => {
  const request = `${method} ${new URL(String(input)).pathname}`;
  sent.push(request);
  if (matches('GET /staff/v1/proposals/:id', request)) return Response.json(preview);
  const operation = Object.values(serviceOperations).find((one) => matches(nameRoute(one), request));
  const described = operation && document.paths[operation.path][operation.method].responses;
  const answer = (described?.[200] ?? described?.[201])?.content['application/json'].example;
  return Response.json(answer ?? {});
};

const nameRoute = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

const matches = (route: string, request: string) =>
  new RegExp(`^${route.replaceAll(/\{\w+\}|:\w+/g, '[^/]+')}$`).test(request);

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Returns the words of each example in the help of a command. */
function readExamples(command: Command): string[][] {
  let help = '';
  command.configureOutput({
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  const words = (line = '') => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  return [...help.matchAll(/^ {2}\$ dialtill (.*?)(?: > .*)?$/gm)].map(([, line]) =>
    words(line).map(([, ...forms]) => forms.join('')),
  );
}

async function runExamples(name: string): Promise<void> {
  const env = { DIALTILL_STAFF: 'ama:token', DIALTILL_ADMIN_TOKEN: 'an-admin-token-of-a-test' };
  async function create() {
    const program = new Command('dialtill').exitOverride().configureOutput({ writeErr: () => {} });
    await commands.find((one) => one.name === name)?.register(program, { ...programContext, env });
    return program;
  }
  const given = [
    ['--url', 'http://127.0.0.1:9'],
    ['--merchant', 'mch_1'],
    ['--version', '1'],
  ];
  for (const leaf of leavesOf(await create()).filter((one) => !endless.includes(one.name()))) {
    const has = ([long]: string[]) => leaf.options.some((option) => option.long === long);
    for (const words of readExamples(leaf)) {
      const missing = given.filter((option) => has(option) && !words.includes(String(option[0])));
      // An answer that is not readable is an error of the command, after its request.
      await (await create()).parseAsync([...words, ...missing.flat()], { from: 'user' }).catch(() => {});
    }
  }
}

beforeAll(async () => {
  vi.stubGlobal('fetch', record);
  for (const name of groups) await runExamples(name);
});
afterAll(() => void vi.unstubAllGlobals());

test('each operation of the back office and of staff has a command, or a reason why not', () => {
  const admin = Object.values(serviceOperations).filter(({ access }) => access === 'admin');
  const routes = [
    ...admin.map(nameRoute),
    ...staffOperations.map(({ route }) => route.replace(' ', ' /staff/v1')),
  ];
  const isSent = (route: string) => sent.some((request) => matches(route, request));
  expect(routes.filter((route) => !isSent(route))).toEqual(Object.keys(withoutCommand));
});
