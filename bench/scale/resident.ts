import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stringify } from 'yaml';
import { deployedNodeArgs } from '../../test/kit/deployed-node-args.ts';
import { tillSettings } from '../collection/tills.ts';
import { openDialogues } from './gateways.ts';

/** The memory of a gateway, in bytes. `heap` and `external` are parts of `resident`, and so are the `files` of Node. */
export type Resident = {
  residentBytes: number;
  /** Pages of programs and libraries, which several processes share. */
  fileBytes: number;
  heapBytes: number;
  externalBytes: number;
};

/** Starts the gateway as it is deployed, opens dialogues, and measures its memory. Linux only. */
export async function measureResident(database: string, dialogues: number): Promise<Resident> {
  const config = join(dirname(database), 'resident.yaml');
  const menu = resolve('fixtures/menus/shop.yaml');
  const settings = tillSettings({ database, peerUrl: 'http://127.0.0.1:9', menu });
  // A file must not give a secret twice. No webhook arrives.
  const merchants = settings.merchants.map((merchant) => ({
    ...merchant,
    webhookSecrets: [`whsec_of_the_benchmark_${merchant.id}`],
  }));
  writeFileSync(config, stringify({ ...settings, merchants, log: { level: 'info', turns: 0 } }));
  const child = spawn(
    process.execPath,
    [...deployedNodeArgs(), 'dist/cli/main.js', 'start', '--config', config],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  const ended = once(child, 'close');
  try {
    const url = await Promise.race([
      urlOf(child.stdout),
      ended.then(() => Promise.reject(new Error('the gateway did not start'))),
    ]);
    await openDialogues({ url }, dialogues, 1);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return {
      residentBytes: statusOf(child.pid, 'VmRSS'),
      fileBytes: statusOf(child.pid, 'RssFile'),
      heapBytes: metricOf(metrics, 'nodejs_heap_size_total_bytes'),
      externalBytes: metricOf(metrics, 'nodejs_external_memory_bytes'),
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Returns the address in the log. Warnings come before it. The rest of the log is read too, so that no write waits. */
function urlOf(log: Readable): Promise<string> {
  return new Promise((found) => {
    createInterface({ input: log }).on('line', (line) => {
      const { url } = JSON.parse(line);
      if (typeof url === 'string') found(url);
    });
  });
}

function statusOf(pid: number | undefined, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

function metricOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1]);
}
