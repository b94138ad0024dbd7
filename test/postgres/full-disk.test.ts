import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSql } from '../kit/postgres.ts';
import { requireNoLeaks } from '../kit/postgres-server.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { readinessOf, startGateway } from './gateway.ts';

/** Mounts a small disk. Returns `undefined` where this process may not mount one. */
function mountDisk(): string | undefined {
  const disk = mkdtempSync('/tmp/dialtill-disk-');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', disk], { stdio: 'ignore' });
    return disk;
  } catch {
    rmdirSync(disk);
    return undefined;
  }
}

const disk = mountDisk();

test.skipIf(disk === undefined)(
  `S26: while the disk of the server is full, the gateway is not ready and reports it; then it continues${
    disk === undefined ? ' (skipped: this process may not mount a disk)' : ''
  }`,
  async () => {
    const folder = disk ?? '';
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    });
    const server = await startEmbeddedPostgres(join(folder, 'data'));
    onTestFinished(() => server.stop());
    await runSql(`${server.url}/postgres`, 'CREATE DATABASE ledger');
    const url = `${server.url}/ledger`;
    const gateway = await startGateway(url);
    onTestFinished(() => gateway.stop());
    const dial = async (session: number) => {
      const body = new URLSearchParams({
        ...{ sessionId: `s-${session}`, phoneNumber: '+233244123456', networkCode: '62001', text: '' },
        serviceCode: '*713*5#',
      });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const path = '/ussd/africastalking/secret-of-africastalking-0123456789';
      return (await gateway.app.request(path, { method: 'POST', headers, body: body.toString() })).text();
    };
    const filler = join(folder, 'filler');
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize));

    let dials = 0;
    await vi.waitFor(async () => expect(await dial(++dials)).toMatch(/^END Sorry, something went wrong/), {
      timeout: 30_000,
      interval: 0,
    });
    const turns = async () =>
      (await runSql(url, 'SELECT count(*)::int AS turns FROM turn')) as [{ turns: number }];
    const [{ turns: stored }] = await turns();
    expect(stored).toBe(dials - 1);
    expect(await readinessOf(gateway)).toMatchObject({ status: 'not ready', database: true, diskFull: true });
    rmSync(filler);
    await vi.waitFor(async () => expect(await dial(++dials)).toMatch(/^CON /), { timeout: 30_000 });
    // Probed every five seconds.
    await vi.waitFor(async () => expect(await readinessOf(gateway)).toMatchObject({ status: 'ready' }), {
      timeout: 30_000,
      interval: 200,
    });
    requireNoLeaks(server.logged());
  },
);
