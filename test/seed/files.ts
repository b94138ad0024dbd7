import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { seedBytes } from '../../src/gateway/accounts/code.ts';
import { createFolder, replacePrivately } from '../../src/sqlite/private-file.ts';
import { channelOf, type StaffName, shops } from './shops.ts';

/** The ports of the configuration. By default other ones than those of the demo, so that both can run. */
export type SeedPorts = { gateway: number; service: number };

export const seedPorts: SeedPorts = { gateway: 8081, service: 8091 };

export type SeedSecrets = {
  admin: string;
  /** By merchant. */
  webhooks: Record<string, string>;
  seal: string;
  channels: Record<string, string>;
  /** The key of the console. */
  console: string;
  /** The seeds of one-time passwords, in base64url. */
  staff: Record<StaffName, string>;
};

export type SeedFiles = {
  /** Absolute. */
  folder: string;
  secrets: SeedSecrets;
  ports: SeedPorts;
  configFile: string;
  /** Writes the configuration with the keys of the merchants at the service. Only its owner can read it. */
  writeConfig(keys: ReadonlyMap<string, string>): void;
};

const secret = () => randomBytes(32).toString('base64url');
const key = () => randomBytes(32).toString('base64');
const seed = () => randomBytes(seedBytes).toString('base64url');

function createSecrets(): SeedSecrets {
  return {
    ...{ admin: secret(), seal: key(), console: key() },
    webhooks: Object.fromEntries(shops.map(({ id }) => [id, secret()])),
    channels: Object.fromEntries(shops.flatMap(({ channels }) => channels.map((one) => [one, secret()]))),
    staff: { ama: seed(), kofi: seed(), esi: seed() },
  };
}

/** Creates the folder of a seeded ledger, and the file with what the authenticator apps of its staff would have. */
export function createFiles(folder: string, ports = seedPorts, secrets = createSecrets()): SeedFiles {
  const path = resolve(folder);
  createFolder(path);
  const configFile = join(path, 'dialtill.yaml');
  replacePrivately(join(path, 'staff.json'), `${JSON.stringify(secrets.staff, null, 2)}\n`);
  return {
    ...{ folder: path, secrets, ports, configFile },
    writeConfig: (keys) => replacePrivately(configFile, configText({ secrets, ports }, keys)),
  };
}

function configText(
  { secrets, ports }: Pick<SeedFiles, 'secrets' | 'ports'>,
  keys: ReadonlyMap<string, string>,
): string {
  const registered = shops.filter(({ id }) => keys.has(id));
  return stringify({
    environment: 'test',
    listen: { host: '127.0.0.1', port: ports.gateway },
    database: { file: 'gateway.db' },
    service: { url: `http://127.0.0.1:${ports.service}`, simulator: true },
    ledger: { sealKey: secrets.seal },
    console: { secretsKey: secrets.console },
    merchants: registered.map(({ id, name }) => ({
      ...{ id, name, key: keys.get(id), webhookSecrets: [secrets.webhooks[id]] },
      menu: resolve('fixtures/menus/shop.yaml'),
    })),
    channels: registered.flatMap(({ id: merchant, channels }) =>
      channels.map((one) => {
        const { aggregator, serviceCode, settings } = channelOf(one);
        return {
          ...{ id: one, aggregator, serviceCode, secret: secrets.channels[one], merchant },
          ...(settings && { settings }),
        };
      }),
    ),
  });
}
