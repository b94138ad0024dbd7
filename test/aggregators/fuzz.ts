import { describe, expect, onTestFinished, test } from 'vitest';
import type { Aggregator } from '../../src/aggregators/aggregator.ts';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { aggregatorOf, createDialect, demoChannelOf } from '../kit/dialects.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createRandom } from '../kit/random.ts';
import { sized } from '../kit/size.ts';
import { createTill, type Till } from '../kit/till.ts';
import { parseAnswer, readingOf } from './frame.ts';
import { type FuzzRequest, fuzzRequests } from './fuzz-requests.ts';

/** A run with a set number of requests has a new seed each time. A failure prints its seed. */
const { USSD_FUZZ_REQUESTS, USSD_FUZZ_SEED } = process.env;
const requests = Number(USSD_FUZZ_REQUESTS ?? sized({ quick: 800, all: 5_000 }));
const seed = Number(USSD_FUZZ_SEED ?? (USSD_FUZZ_REQUESTS === undefined ? 20_260_306 : Date.now() % 1e9));
const seeded = `USSD_FUZZ_SEED=${seed}`;
const timeoutMs = 300_000 + requests * 100;
const batchSize = 100;

/** A merchant name that needs every conversion: too long, and with characters that aggregators forbid. */
const hostileName = 'Ɔdɔ & "Söhne" | <A>^`B\' $5 {x} [y] ~ \\ € ₵20 _ é\t';

/** Registers the tests of one part of the aggregators, so that several files share the work. */
export function fuzzPart(part: number, of: number): void {
  const names = aggregatorNames.filter((_, index) => index % of === part - 1);
  describe.each(names)('%s', (name) => {
    test(
      'answers any request with 200 and a screen in its own format, and never prompts twice',
      () => fuzz(name),
      timeoutMs,
    );
  });
}

async function openTarget(): Promise<Till> {
  return createTill({
    configure(config) {
      for (const merchant of config.merchants) merchant.name = hostileName;
      config.approvals = { ...config.approvals, mtn: `${hostileName}${hostileName}`, telecel: hostileName };
    },
  });
}

async function fuzz(name: string): Promise<void> {
  const simulated = simulatedAggregators[name];
  if (!simulated) throw new Error(`no simulated aggregator ${name}`);
  const rejections = watchRejections();
  const till = await openTarget();
  const { serviceCode, settings } = demoChannelOf(name);
  const send = createSender(till, name);
  const all = fuzzRequests({ simulated, serviceCode, settings }, seed);
  const random = createRandom(`clock ${seed}`);
  const counts = new Map<string, number>();
  for (let sent = 0; sent < requests; sent += batchSize) {
    const batch = Array.from({ length: batchSize }, () => all.next().value);
    const answered = await Promise.all(batch.map(send));
    for (const { kind } of answered) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const problems = answered.flatMap((one) => one.problems).slice(0, 10);
    expect(problems, `${seeded}, after ${sent} requests`).toEqual([]);
    await till.clock.advance(random.pick([0, 300, 1_000, 2_500, 2_500, 4_000]));
    if (random.happens(0.02)) await passTime(till);
  }
  await passTime(till);
  await expectNoDoublePrompt(till);
  const lines = till.logged().split('\n');
  expect(
    lines.filter((line) => /"level":"(error|fatal)"/.test(line)),
    seeded,
  ).toEqual([]);
  expect(rejections, seeded).toEqual([]);
  // The requests reached every kind of answer.
  const kinds = ['unreadable', 'continue', 'end', ...(simulated.endNotice ? ['notice'] : [])];
  for (const kind of kinds) expect(counts.get(kind) ?? 0, kind).toBeGreaterThan(requests / 100);
}

function watchRejections(): unknown[] {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return rejections;
}

/** Approves pending prompts, and advances the clock until sessions and prompts expire. */
async function passTime(till: Till): Promise<void> {
  const file = new Database(till.config.database.file, { readonly: true });
  const payers = file.prepare('SELECT DISTINCT payer FROM collection').pluck().all() as string[];
  file.close();
  for (const payer of payers) {
    const msisdn = parseMsisdn(payer);
    const [prompt] = msisdn ? await till.service.phone.pending(msisdn) : [];
    if (prompt) await till.service.phone.approve(prompt.id, '1234');
  }
  await till.clock.advance(420_000);
}

async function expectNoDoublePrompt(till: Till): Promise<void> {
  expect(await till.verify(), seeded).toMatchObject({ ok: true, faults: [] });
  const { sessions, pushes } = await till.service.statement();
  expect(
    sessions.filter((one) => one.pushes > 1),
    seeded,
  ).toEqual([]);
  const file = new Database(till.config.database.file, { readonly: true });
  const collections = Number(file.prepare('SELECT count(*) FROM collection').pluck().get());
  file.close();
  expect(sessions.length, seeded).toBeLessThanOrEqual(collections);
  expect(pushes).toBeGreaterThan(0);
}

type Result = { kind: string; problems: string[] };

/** Returns a function that sends a request and reports every problem of the answer. */
function createSender(till: Till, name: string): (one: FuzzRequest) => Promise<Result> {
  const aggregator = aggregatorOf(name);
  const { serviceCode } = demoChannelOf(name);
  const dialect = createDialect(name, serviceCode);
  const url = callbackUrl(till, name);
  const unread = dialect.decode({ body: '', query: {}, path: '' });
  const { contentType, body: bare } = dialect.encode({ kind: 'end', text: '' }, unread, 0);
  const { forbidden, lineBreak } = aggregator.style;
  // Of the signs that a text must not have, those that separate the fields of a line.
  const separators = contentType.startsWith('text/')
    ? Array.from(forbidden.replaceAll(lineBreak, '')).filter((sign) => bare.includes(sign))
    : [];
  return async ({ request: { method, to, contentType: type, body }, dial, isIntact }) => {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': type }, body };
    const request = new Request(`${url}${to}`, init);
    const reading = await readingOf(dialect, request.clone());
    const response = await till.gateway().app.request(request);
    const text = await response.text();
    const got = response.headers.get('content-type');
    const problems: string[] = [];
    if (response.status !== 200) problems.push(`status ${response.status}`);
    if (got !== contentType) problems.push(`content type ${got}`);
    const found = parseAnswer(dialect, reading, text);
    if (!found) problems.push('not in the format of the aggregator');
    else if (separators.some((sign) => text.split(sign).length !== bare.split(sign).length)) {
      problems.push('an additional separator in the line');
    } else problems.push(...textFaults(aggregator, found.text, reading.kind));
    if (reading.kind === 'unreadable' && !found?.kinds.includes('end'))
      problems.push('an unreadable request continues the session');
    if (isIntact && found) {
      const shown = simulatedAggregators[name]?.read(got ?? '', text, dial);
      const expectedText = found.text?.replaceAll(aggregator.style.lineBreak, '\n');
      if (!shown) problems.push('the aggregator would not show it');
      else if (!found.kinds.includes(shown.kind) || shown.text !== expectedText)
        problems.push(`shown: ${JSON.stringify(shown)}`);
    }
    const about = () =>
      `${name}: ${method} ${to} ${type} ${JSON.stringify(body).slice(0, 1_000)} got ${text.slice(0, 1_000)}`;
    return {
      kind: reading.kind === 'request' ? (found?.kinds[0] ?? 'nothing') : reading.kind,
      problems: problems.map((fault) => `${fault}\n  at ${about()}`),
    };
  };
}

/** Returns the problems of a screen's text on a phone or at the aggregator. */
function textFaults({ style }: Aggregator, text: string | undefined, kind: string): string[] {
  if (text === undefined) return [];
  const faults: string[] = [];
  const plain = text.replaceAll(style.lineBreak, '\n');
  if (plain === '' && kind !== 'probe') faults.push('no text');
  if (!/^[\n\x20-\x7e€]*$/.test(plain) || plain.includes('`'))
    faults.push('characters outside the GSM alphabet');
  const forbidden = style.lineBreak === '\n' ? style.forbidden : `${style.forbidden}\n`;
  const shown = style.lineBreak === '\n' ? text : text.replaceAll(style.lineBreak, '');
  if (Array.from(shown).some((sign) => forbidden.includes(sign))) faults.push('forbidden characters');
  const septets = Array.from(plain).length + (plain.match(/[\^{}\\[~\]|€]/g)?.length ?? 0);
  if (septets > style.limit) faults.push(`${septets} septets`);
  return faults;
}
