import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { createFolder, replacePrivately } from '../../src/sqlite/private-file.ts';
import { channelOf, type StaffName, shops, staffNames } from './shops.ts';

/** Other ports than those of the demo, so that both can run. */
export const gatewayPort = 8081;
export const servicePort = 8091;

export type SeedSecrets = {
  admin: string;
  /** By merchant. */
  webhooks: Record<string, string>;
  seal: string;
  channels: Record<string, string>;
  staff: Record<StaffName, string>;
};

export type SeedFiles = {
  /** Absolute. */
  folder: string;
  secrets: SeedSecrets;
  configFile: string;
  /** Writes the configuration with the keys of the merchants at the service. Only its owner can read it. */
  writeConfig(keys: ReadonlyMap<string, string>): void;
  /** The file with the name and the secret of a person. */
  staffFile(name: StaffName): string;
};

const secret = () => randomBytes(32).toString('base64url');

function createSecrets(): SeedSecrets {
  return {
    ...{ admin: secret(), seal: randomBytes(32).toString('base64') },
    webhooks: Object.fromEntries(shops.map(({ id }) => [id, secret()])),
    channels: Object.fromEntries(shops.flatMap(({ channels }) => channels.map((one) => [one, secret()]))),
    staff: { ama: secret(), kofi: secret(), esi: secret() },
  };
}

/** Creates the folder of a seeded ledger, and the files of its staff. */
export function createFiles(folder: string, secrets = createSecrets()): SeedFiles {
  const path = resolve(folder);
  createFolder(path);
  const configFile = join(path, 'dialtill.yaml');
  const staffFile = (name: StaffName) => join(path, `${name}.staff`);
  for (const name of staffNames) replacePrivately(staffFile(name), `${name}:${secrets.staff[name]}\n`);
  return {
    ...{ folder: path, secrets, configFile, staffFile },
    writeConfig: (keys) => replacePrivately(configFile, configText(secrets, keys)),
  };
}

function configText(secrets: SeedSecrets, keys: ReadonlyMap<string, string>): string {
  const registered = shops.filter(({ id }) => keys.has(id));
  return stringify({
    environment: 'test',
    listen: { host: '127.0.0.1', port: gatewayPort },
    database: { file: 'gateway.db' },
    service: { url: `http://127.0.0.1:${servicePort}`, simulator: true },
    ledger: { sealKey: secrets.seal },
    staff: staffNames.map((name) => ({ name, secret: secrets.staff[name] })),
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
