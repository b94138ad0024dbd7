import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { demoChannels } from '../../src/aggregators/registry.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { deployedNodeArgs } from '../kit/deployed-node-args.ts';
import { type Program as Launched, launch } from '../kit/launch.ts';
import type { ServiceSettings, ServiceUp } from '../process/child-service.ts';

export type ProgramName = 'gateway' | 'service';

/** A program in its own process. */
export type Program = {
  port: number;
  url: string;
  residentMib(): number;
  logLines(): number;
  stop(): Promise<unknown>;
};

/** Both programs, and the secrets that hostile requests must not have or that attackers have captured. */
export type Programs = Record<ProgramName, Program> & {
  adminToken: string;
  /** The common part of the secrets of the channels. */
  channelSecret: string;
  webhookSecret: string;
  /** The keys of the gateway's merchant and of another one. */
  key: string;
  strangerKey: string;
};

/** Starts the service and the gateway with test keys, each in its own process, on files in `folder`. */
export async function startPrograms(folder: string): Promise<Programs> {
  const ids = systemIds(systemClock());
  const [adminToken, channelSecret, webhookSecret] = [ids.secret(), ids.secret(), `whsec_${ids.secret()}`];
  const settings: ServiceSettings = {
    ...{ file: join(folder, 'service.db'), adminToken },
    merchants: ['Shop', 'Stranger'],
  };
  const service = start('test/process/child-service.ts', JSON.stringify(settings));
  service.writeLine('never');
  const { url: serviceUrl, merchants }: ServiceUp = JSON.parse(await service.waitForOutput(/^\{"url".*\}$/m));
  const [shop, stranger] = merchants;
  if (!shop || !stranger) throw new Error('the service has no merchants');

  const configFile = join(folder, 'gateway.yaml');
  const config = {
    environment: 'test',
    listen: { port: 0 },
    database: { file: join(folder, 'gateway.db') },
    service: { url: serviceUrl, simulator: true, callsPerSecond: 1_000 },
    limits: { merchant: { perMinute: false } },
    merchants: [
      {
        ...{ id: 'shop', name: 'Shop', key: shop.key, webhookSecrets: [webhookSecret] },
        menu: resolve('fixtures/menus/shop.yaml'),
      },
    ],
    channels: demoChannels.map((channel) => ({
      ...channel,
      secret: secretOf(channelSecret, channel.id),
      merchant: 'shop',
    })),
  };
  writeFileSync(configFile, stringify(config));
  const gateway = start('src/cli/main.ts', 'start', '--config', configFile);
  const url = await gateway.waitForOutput(/http:[^\s"]+(?=["\n])/);

  const answer = await fetch(`${serviceUrl}/backoffice/merchants/${shop.merchantId}/webhook`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ livemode: false, url: `${url}/webhooks/shop`, secret: webhookSecret }),
  });
  if (!answer.ok) throw new Error(`the webhook was not set: ${await answer.text()}`);
  const secrets = { adminToken, channelSecret, webhookSecret, key: shop.key, strangerKey: stranger.key };
  return { gateway: programOf(gateway, url), service: programOf(service, serviceUrl), ...secrets };
}

/** Returns the secret of a channel. */
export const secretOf = (common: string, channel: string) => `${common}-${channel}`;

const start = (...args: string[]) =>
  launch([process.execPath, '--import', 'tsx', ...deployedNodeArgs(), ...args]);

function programOf(running: Launched, url: string): Program {
  return {
    url,
    port: Number(new URL(url).port),
    residentMib() {
      const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8')) ?? [];
      return Number(kib) / 1_024;
    },
    logLines: () => (running.stdout() + running.stderr()).split('\n').length - 1,
    stop: () => running.end('SIGTERM'),
  };
}
