import { execFileSync } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { runSql } from './postgres.ts';
import { createEmbeddedServer, type EmbeddedServer, serverFolder } from './start-postgres.ts';

/** Files of a running server that a copy must not have. */
const ofProcess = ['postmaster.pid', 'postmaster.opts'];

/** A copy of the files of a running server, which recovers when it starts. */
type BaseCopy = { folder: string; write(name: string, content: string): void };

/** Copies a running server. The binaries of the tests have no `pg_basebackup`: this copies the folder between the same two calls. */
async function copyServer({ url, folder: from }: EmbeddedServer): Promise<BaseCopy> {
  const folder = serverFolder();
  const { uid, gid } = statSync(from);
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
  };
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('copy', true)`);
    // `cp` keeps the owner of the files, which is the user of the server.
    execFileSync('cp', ['-a', `${from}/.`, folder]);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    write('backup_label', String(rows[0]?.labelfile));
  } finally {
    await client.end();
  }
  for (const file of ofProcess) rmSync(join(folder, file), { force: true });
  return { folder, write };
}

/**
 * Copies a running server, lets it go on with `work`, and starts a server from the copy with all its log up to a restore point that
 * `work` creates (`pg_create_restore_point`).
 */
export async function restoreTo(
  restorePoint: string,
  primary: EmbeddedServer,
  work: () => Promise<void>,
): Promise<EmbeddedServer> {
  const { folder, write } = await copyServer(primary);
  await work();
  await runSql(`${primary.url}/postgres`, 'SELECT pg_switch_wal()');
  write('recovery.signal', '');
  write(
    'postgresql.auto.conf',
    `restore_command = 'cp "${primary.folder}/pg_wal/%f" "%p"'\nrecovery_target_name = '${restorePoint}'
recovery_target_action = 'promote'\n`,
  );
  const { server, running } = await createEmbeddedServer(folder);
  await server.start();
  return running;
}

/**
 * Starts a standby that streams from a running server. The primary waits for it with each commit from then on, so that nothing
 * acknowledged is lost when it is promoted.
 */
export async function startStandby(primary: EmbeddedServer): Promise<EmbeddedServer> {
  await runSql(`${primary.url}/postgres`, `SELECT pg_create_physical_replication_slot('standby', true)`);
  const { folder, write } = await copyServer(primary);
  write('standby.signal', '');
  const { port } = new URL(primary.url);
  const upstream = `host=127.0.0.1 port=${port} user=dialtill password=dialtill application_name=standby`;
  const settings = `primary_conninfo = '${upstream}'\nprimary_slot_name = 'standby'\nhot_standby = on\n`;
  write('postgresql.auto.conf', settings);
  const { server, running } = await createEmbeddedServer(folder);
  // Its promise waits for the message of a server that accepts writes.
  const stopped = server.start().catch(() => 'stopped');
  const streams = `SELECT 1 AS one FROM pg_stat_replication WHERE state = 'streaming'`;
  const ready = () =>
    vi.waitFor(
      async () => {
        if ((await runSql(`${primary.url}/postgres`, streams)).length !== 1) throw new Error('no stream');
        await runSql(`${running.url}/postgres`, 'SELECT 1');
      },
      { timeout: 60_000, interval: 100 },
    );
  if ((await Promise.race([ready(), stopped])) === 'stopped') {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`the standby ended: ${running.logged().slice(-8).join('\n')}`);
  }
  await runSql(`${primary.url}/postgres`, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await runSql(`${primary.url}/postgres`, 'SELECT pg_reload_conf()');
  return running;
}

/**
 * Takes a snapshot of the disk of an idle server. A server that starts from it, unlike a restored backup, has the same timeline.
 *
 * @returns a function that starts a server from the snapshot.
 */
export async function takeSnapshot({
  url,
  folder: from,
}: EmbeddedServer): Promise<() => Promise<EmbeddedServer>> {
  await runSql(`${url}/postgres`, 'CHECKPOINT');
  const folder = serverFolder();
  execFileSync('cp', ['-a', `${from}/.`, folder]);
  for (const file of ofProcess) rmSync(join(folder, file), { force: true });
  return async () => {
    const { server, running } = await createEmbeddedServer(folder);
    await server.start();
    return running;
  };
}

/** Makes a standby a primary, and waits until it accepts writes. */
export async function promote({ url }: EmbeddedServer): Promise<void> {
  await runSql(`${url}/postgres`, 'SELECT pg_promote(true, 60)');
}
