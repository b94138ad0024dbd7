import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Aggregator } from '../../src/aggregators/aggregator.ts';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { callbackUrl } from '../kit/callback.ts';
import { aggregatorOf, createDialect, demoChannelOf } from '../kit/dialects.ts';
import { sized } from '../kit/size.ts';
import { createTill, type Till } from '../kit/till.ts';
import { chance } from './chance.ts';
import { framed, readingOf } from './frame.ts';
import { type FuzzRequest, fuzzRequests } from './fuzz-requests.ts';

/** More requests come from another seed each time. A failure names its seed. */
const { USSD_FUZZ_REQUESTS, USSD_FUZZ_SEED } = process.env;
const requests = Number(USSD_FUZZ_REQUESTS ?? sized({ quick: 2_000, all: 5_000 }));
const seed = Number(USSD_FUZZ_SEED ?? (USSD_FUZZ_REQUESTS === undefined ? 20_260_306 : Date.now() % 1e9));
const seeded = `USSD_FUZZ_SEED=${seed}`;
const timeoutMs = 300_000 + requests * 100;
const together = 100;

/** A name that no screen can hold as it is: too long, and full of what aggregators forbid. */
const hostileName = 'Ɔdɔ & "Söhne" | <A>^`B\' $5 {x} [y] ~ \\ € ₵20 _ é\t';

/** Which aggregators' turn it is in one of so many files. */
export function fuzzPart(part: number, of: number): void {
  const names = aggregatorNames.filter((_, index) => index % of === part - 1);
  describe.each(names)('%s', (name) => {
    test(
      'answers whatever arrives with 200 and a screen in its own shape, and asks for no money twice',
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
  const wire = simulatedAggregators[name];
  if (!wire) throw new Error(`no wire ${name}`);
  const rejections = watchRejections();
  const till = await openTarget();
  const { serviceCode, settings } = demoChannelOf(name);
  const ask = asker(till, name);
  const all = fuzzRequests({ wire, serviceCode, settings }, seed);
  const luck = chance(seed);
  const met = new Map<string, number>();
  for (let sent = 0; sent < requests; sent += together) {
    const batch = Array.from({ length: together }, () => all.next().value);
    const answered = await Promise.all(batch.map(ask));
    for (const { kind } of answered) met.set(kind, (met.get(kind) ?? 0) + 1);
    const wrong = answered.flatMap((one) => one.wrong).slice(0, 10);
    expect(wrong, `${seeded}, after ${sent} requests`).toEqual([]);
    await till.clock.advance(luck.pick([0, 300, 1_000, 2_500, 2_500, 4_000]));
    if (luck.in100(2)) await passTime(till);
  }
  await passTime(till);
  await expectNothingTwice(till);
  const lines = till.logged().split('\n');
  expect(
    lines.filter((line) => /"level":[56]0/.test(line)),
    seeded,
  ).toEqual([]);
  expect(rejections, seeded).toEqual([]);
  // They went beyond the front door.
  const kinds = ['unreadable', 'continue', 'end', ...(wire.endNotice ? ['notice'] : [])];
  for (const kind of kinds) expect(met.get(kind) ?? 0, kind).toBeGreaterThan(requests / 100);
}

function watchRejections(): unknown[] {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return rejections;
}

/** Approves what waits on handsets, and lets sessions and prompts run out. */
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

async function expectNothingTwice(till: Till): Promise<void> {
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

type Answered = { kind: string; wrong: string[] };

/** Sends a request, and tells everything that is wrong with its answer. */
function asker(till: Till, name: string): (one: FuzzRequest) => Promise<Answered> {
  const aggregator = aggregatorOf(name);
  const { serviceCode } = demoChannelOf(name);
  const dialect = createDialect(name, serviceCode);
  const url = callbackUrl(till, name);
  const unread = dialect.decode({ body: '', query: {}, path: '' });
  const { contentType, body: bare } = dialect.encode({ kind: 'end', text: '' }, unread, 0);
  const { forbidden, lineBreak } = aggregator.style;
  const line = contentType.startsWith('text/') ? forbidden.replaceAll(lineBreak, '') : '';
  return async ({ request: { method, to, contentType: type, body }, dial, whole }) => {
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': type }, body };
    const request = new Request(`${url}${to}`, init);
    const reading = await readingOf(dialect, request.clone());
    const response = await till.gateway().app.request(request);
    const text = await response.text();
    const got = response.headers.get('content-type');
    const wrong: string[] = [];
    if (response.status !== 200) wrong.push(`status ${response.status}`);
    if (got !== contentType) wrong.push(`content type ${got}`);
    const found = framed(dialect, reading, text);
    if (!found) wrong.push('not its shape');
    else if (Array.from(line).some((sign) => text.split(sign).length !== bare.split(sign).length)) {
      wrong.push('another line than its own');
    } else wrong.push(...textFaults(aggregator, found.text, reading.kind));
    if (reading.kind === 'unreadable' && !found?.kinds.includes('end')) wrong.push('unread, it goes on');
    if (whole && found) {
      const shown = simulatedAggregators[name]?.read(got ?? '', text, dial);
      const meant = found.text?.replaceAll(aggregator.style.lineBreak, '\n');
      if (!shown) wrong.push('its aggregator would not show it');
      else if (!found.kinds.includes(shown.kind) || shown.text !== meant)
        wrong.push(`shown: ${JSON.stringify(shown)}`);
    }
    const about = () =>
      `${name}: ${method} ${to} ${type} ${JSON.stringify(body).slice(0, 1_000)} got ${text.slice(0, 1_000)}`;
    return {
      kind: reading.kind === 'request' ? (found?.kinds[0] ?? 'nothing') : reading.kind,
      wrong: wrong.map((fault) => `${fault}\n  at ${about()}`),
    };
  };
}

/** What of a screen's text a handset or the aggregator could not take. */
function textFaults({ style }: Aggregator, text: string | undefined, kind: string): string[] {
  if (text === undefined) return [];
  const faults: string[] = [];
  const plain = text.replaceAll(style.lineBreak, '\n');
  if (plain === '' && kind !== 'probe') faults.push('no text');
  if (!/^[\n\x20-\x7e€]*$/.test(plain) || plain.includes('`')) faults.push('signs that no handset has');
  const forbidden = style.lineBreak === '\n' ? style.forbidden : `${style.forbidden}\n`;
  const shown = style.lineBreak === '\n' ? text : text.replaceAll(style.lineBreak, '');
  if (Array.from(shown).some((sign) => forbidden.includes(sign))) faults.push('forbidden signs');
  const septets = Array.from(plain).length + (plain.match(/[\^{}\\[~\]|€]/g)?.length ?? 0);
  if (septets > style.limit) faults.push(`${septets} septets`);
  return faults;
}
