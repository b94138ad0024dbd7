import { Session } from 'node:inspector/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Browser, createAccount, createConsoleTill, password, payShort, short } from './kit/console.ts';
import type { Till } from './kit/till.ts';

/**
 * Files that the gateway of a payer does not run: the service, the simulated phone and aggregator, and what tests use. The job of people's
 * alerts runs at any time, and is part of no walk.
 */
const others =
  /^src\/(service|simulator|testing)\/|\/simulated(-aggregator)?\.ts$|\/notify\/(alert-(job|store)|alarm-feed)\.ts$|^src\/gateway\/insights\//;

/** Rooms that stations use, and that are no stations themselves. */
const ground = /^src\/(shared|sqlite|gateway\/(wiring|metrics))\//;

/** A walk that grows past its bound has a new station: join it with another one, or raise the bound with the reason. */
const maxStations = { callback: 40, booking: 56, approval: 25 } as const;

/** Returns a function that runs work, and returns the files of `src` of which a function has run meanwhile. */
async function createWalks(): Promise<(work: () => Promise<unknown>) => Promise<string[]>> {
  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async (work) => {
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const entered = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    );
    const files = entered.flatMap(({ url }) => /\/(src\/[^?]+\.tsx?)$/.exec(url)?.[1] ?? []);
    return [...new Set(files)].filter((file) => !others.test(file)).sort();
  };
}

/** Proposes a decision about the payment in review. Returns the path of the proposal. */
async function propose(till: Till, browser: Browser): Promise<string> {
  const { id, version } = await till.only(short);
  const form = {
    outcome: 'accept',
    evidence: 'line 7 of the statement',
    reference: '',
    version: `${version}`,
  };
  await browser.post(`/payments/${id}/proposals`, form);
  return /\/proposals\/prp_\w+/.exec((await browser.get(`/payments/${id}`)).text)?.[0] ?? '';
}

// `npm run walks` prints the files.
test('a callback, a payment and an approval enter few files', async () => {
  const till = await createConsoleTill();
  await payShort(till);
  const efua = await createAccount(till, 'efua', 'lead');
  const kofi = await createAccount(till, 'kofi', 'finance');
  const [proposer, approver] = [await efua.signIn(), await kofi.signIn()];
  // Everything has run once, so that no module is loaded during a walk. The polls of the payment in review have ended.
  await till.paidPayment('0261234567');
  await till.clock.advance(6 * 60_000);
  const proposal = await propose(till, proposer);
  await approver.post('/confirm', { password, code: await kofi.code(), page: '' });
  const walk = await createWalks();
  const approval = await walk(() => approver.post(`${proposal}/approve`));
  expect(await till.only(short)).toMatchObject({ status: 'paid', review: null });
  const phone = till.phone('0244123456');
  const callback = await walk(async () => {
    await phone.dial();
    await phone.type('1', '20');
  });
  await phone.type('1');
  const booking = await walk(async () => {
    await till.clock.advance(60_000);
    await till.approve('0244123456');
    await till.clock.advance(60_000);
  });
  expect(await till.only('0244123456')).toMatchObject({ status: 'paid' });
  const walks = { callback, booking, approval };
  for (const [name, files] of Object.entries(walks)) {
    const stations = files.filter((file) => !ground.test(file));
    const counted = `${name}: ${files.length} files, ${stations.length} stations`;
    if (process.env.WALKS) process.stdout.write(`${counted}\n  ${files.join('\n  ')}\n`);
    expect(stations.length, counted).toBeLessThanOrEqual(maxStations[name as keyof typeof walks]);
  }
});
