import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, type TestContext, test, vi } from 'vitest';
import { createPayer, numberOf, type Payer } from '../process/payer.ts';
import { type GatewayProgram, type Shop, startShop } from '../process/shop.ts';
import { expectInvariants, untilIdle, watchCalls } from './invariants.ts';
import { createSender } from './sender.ts';
import { isLong, limits } from './size.ts';

/** Ends the fault. */
type Injected = { heal(): Promise<void> };

/**
 * Makes system calls of all threads of a process fail, as a full or broken disk does.
 *
 * @param calls comma-separated names.
 * @param from the first call that fails, counted from now; all later ones fail too.
 */
async function inject(pid: number, calls: string, error: string, from = 1): Promise<Injected> {
  const tracer = trace(pid, [`trace=${calls}`, `inject=${calls}:error=${error}:when=${from}+`]);
  const refusal = await attached(tracer);
  if (refusal !== undefined) throw new Error(`strace: ${refusal}`);
  return {
    async heal() {
      const ended = once(tracer, 'close');
      if (tracer.exitCode === null && tracer.signalCode === null && tracer.kill('SIGINT')) await ended;
    },
  };
}

/** Returns why system calls cannot be made to fail: no strace, or no permission. `undefined` if they can. */
async function whyNoFaults(): Promise<string | undefined> {
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    const tracer = trace(sleeper.pid ?? 0, ['trace=none']);
    const refusal = await attached(tracer);
    tracer.kill('SIGKILL');
    return refusal;
  } finally {
    sleeper.kill('SIGKILL');
  }
}

const program = 'strace';

function trace(pid: number, expressions: readonly string[]): ChildProcess {
  const args = expressions.flatMap((one) => ['-e', one]);
  return spawn(program, ['-f', '-o', '/dev/null', ...args, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Resolves with `undefined` when every thread is traced, or with the error of strace. */
function attached(tracer: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = '';
    tracer.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/ attached/.test(output)) resolve(undefined);
    });
    tracer.once('error', () => resolve('strace is not installed'));
    tracer.once('close', () => resolve(output.trim()));
  });
}

const noFaults = await whyNoFaults();

/** The number of the call at which the disk fails. A payment makes fewer than sixty. */
const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);
const writesUntilFull = isLong ? upTo(60) : [1, 9];
const syncsUntilBroken = isLong ? upTo(20) : [3];

const typed = [[], ['1'], ['1', '20'], ['1', '20', '1']];

/** Starts a gateway whose system calls can be made to fail. */
async function openDisk(context: TestContext) {
  context.skip(noFaults !== undefined, `no call can be made to fail here: ${noFaults}`);
  const shop = await startShop(context, { speed: 10, standby: true });
  return { shop, calls: watchCalls(shop), sender: createSender(shop), life: await shop.start() };
}

type Disk = Awaited<ReturnType<typeof openDisk>>;

/** Sends screens and events until the gateway rejects an event. Returns the status of that event. */
async function useUntilRefused({ sender }: Disk, payer: Payer): Promise<number | undefined> {
  for (let request = 0; request < 200; request++) {
    await payer.request(typed[request % typed.length] ?? []);
    const status = await sender.send();
    if (status !== 200) return status;
  }
  throw new Error('the disk did not fail');
}

const isAlive = async (shop: Shop) =>
  (await fetch(`${shop.url()}/healthz`).catch(() => undefined))?.ok ?? false;

async function readyz(shop: Shop): Promise<{ status: string }> {
  return (await fetch(`${shop.url()}/readyz`)).json() as Promise<{ status: string }>;
}

/** The payer continues the interrupted session, pays, and the payment is booked. */
async function payAfterAll({ shop }: Disk, payer: Payer, number: string): Promise<void> {
  const end = await payer.confirm();
  await payer.approve();
  await shop.until(number, { status: 'paid' });
  await payer.expectSameEnd(end);
}

test(
  'S26: a gateway with a full disk rejects events and sends no call, and continues when there is space',
  limits,
  async (context) => {
    const disk = await openDisk(context);
    const { shop, sender } = disk;
    let { life } = disk;
    let refused = 0;
    let restarts = 0;
    for (const [round, from] of writesUntilFull.entries()) {
      const payer = createPayer(shop, numberOf(round));
      const { heal } = await inject(life.pid, 'pwrite64,ftruncate,fallocate', 'ENOSPC', from);
      const status = await useUntilRefused(disk, payer);
      if (await isAlive(shop)) {
        expect(status).toBe(503);
        expect(await readyz(shop)).toMatchObject({ status: 'not ready', diskFull: true });
        const sent = shop.received.length;
        for (let again = 0; again < 3; again++) expect(await sender.send()).toBe(503);
        // A call that had started may still leave; no further call starts.
        expect(shop.received.length - sent).toBeLessThanOrEqual(1);
        refused += 4;
      }
      await heal();
      if (await isAlive(shop)) {
        // No traffic reaches a gateway that is not ready, so it must detect free space by itself.
        await vi.waitUntil(async () => (await readyz(shop)).status === 'ready', {
          timeout: 5_000,
          interval: 50,
        });
        expect(await sender.send()).toBe(200);
      } else {
        restarts += 1;
        expect(await life.ended).toEqual({ code: 1, signal: null });
        life = await shop.start();
      }
      await payAfterAll(disk, payer, numberOf(round));
    }
    await untilIdle(shop);
    const tally = await expectInvariants(shop, disk.calls, sender.taken);
    const payments = writesUntilFull.length;
    expect(tally).toMatchObject({
      collections: payments,
      paid: payments,
      pushes: payments,
      charges: payments,
    });
    console.log(
      `S26: ${payments} full disks, ${refused} events refused, ${restarts} restarts, ${JSON.stringify(tally)}, 0 violations`,
    );
  },
);

for (const { name, calls } of [
  { name: 'a sync', calls: 'fsync,fdatasync' },
  { name: 'a write', calls: 'pwrite64' },
]) {
  const title = `S27: after a permanent failure of ${name} the process ends, and the next one has everything acknowledged`;
  test(title, limits, async (context) => {
    const disk = await openDisk(context);
    const { shop, sender } = disk;
    let life: GatewayProgram = disk.life;
    for (const [round, from] of syncsUntilBroken.entries()) {
      const payer = createPayer(shop, numberOf(round));
      const { heal } = await inject(life.pid, calls, 'EIO', from);
      await useUntilRefused(disk, payer);
      expect(await life.ended).toEqual({ code: 1, signal: null });
      await heal();
      life = await shop.start();
      await payAfterAll(disk, payer, numberOf(round));
    }
    await untilIdle(shop);
    const tally = await expectInvariants(shop, disk.calls, sender.taken);
    const payments = syncsUntilBroken.length;
    const once = { collections: payments, paid: payments, pushes: payments, charges: payments };
    expect(tally).toMatchObject(once);
    console.log(`S27: ${payments} times ${name} failed, ${JSON.stringify(tally)}, 0 violations`);
  });
}
