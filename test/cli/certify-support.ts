import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerCertify } from '../../src/cli/commands/certify/certify.ts';
import { registerAggregators, registerChannels } from '../../src/cli/commands/channels.ts';
import { loadConfig, loadWithoutSecrets } from '../../src/gateway/config/load.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type CommandResult, runCommand } from '../kit/command.ts';

export const secrets = {
  nalo: 'nalo-Xk3vQ9pLm2TzR7wB4nYcD8',
  wigal: 'wigal-Gf5sTn8hVq1LzWm3XyKb6Rd',
} as const;

/** A secret of the configuration whose variable is not set. */
export const notSet = `"\${NOT_SET}"`;

/** Writes a configuration with two channels in this folder. No gateway listens at its address. */
export function writeConfig(folder: string): string {
  const file = join(folder, 'dialtill.yaml');
  writeFileSync(
    file,
    `environment: live
listen: { port: 1 }
database: { file: gateway.db }
service: { url: "https://payments.example.com" }
merchants:
  - id: shop
    name: Abena Stores
    key: sk_live_Zp4kWt81sVbQyN60dHcJm3xR
    webhookSecrets: [nXh3c8hbS0uAm2vRkqT9eZwDyQ1oLf7P]
    menu: ${resolve('fixtures/menus/shop.yaml')}
channels:
  - { id: shop-nalo, aggregator: nalo, secret: ${secrets.nalo}, serviceCode: "*920*5#", merchant: shop }
  - id: shop-wigal
    aggregator: wigal-v1
    secret: ${secrets.wigal}
    serviceCode: "*920*6#"
    merchant: shop
    allowFrom: [10.1.2.3]
`,
  );
  return file;
}

/** Runs `dialtill certify`, `channels` or `aggregators`. */
export function run(
  args: readonly string[],
  { tty = false, fixtures }: { tty?: boolean; fixtures?: string } = {},
): Promise<CommandResult> {
  const clock = systemClock();
  const rest = {
    loadConfig: (file = 'none') => loadConfig(file, {}, aggregators),
    loadWithoutSecrets: (file = 'none') => loadWithoutSecrets(file, {}, aggregators),
    clock,
    ids: systemIds(clock),
    fetch,
    ...(fixtures === undefined ? {} : { fixtures }),
  };
  return runCommand(
    args,
    (program, streams) => {
      const deps = { ...rest, ...streams };
      registerCertify(program, deps);
      registerChannels(program, deps);
      registerAggregators(program, deps);
    },
    { tty },
  );
}
