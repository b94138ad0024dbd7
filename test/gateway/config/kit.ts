import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { temporaryFolder } from '../../kit/folder.ts';

/** Two aggregators without settings, and one with. */
export const aggregators = {
  africastalking: { settings: z.strictObject({}) },
  nalo: { settings: z.strictObject({}) },
  kairos: { settings: z.strictObject({ endValue: z.string('expected a text').default('2') }) },
};
export const env = {
  DEMO_KEY: 'sk_test_0123456789',
  DEMO_WEBHOOK_SECRET: 'whsec_nXh3c8hbS0uAm2vRkqT9eZwD',
  DEMO_NALO_SECRET: 'nalo_nXh3c8hbS0uAm2vRkqT9eZwD',
  DIALTILL_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
};
export const lookupsSecret = 'whsec_8pQ0vJm1Zx7nT4cLrW2yKd9sEaHu6fGb';
/** A placeholder of the configuration file for a variable. */
export const variable = (name: string) => `\${${name}}`;
export const shop = resolve('fixtures/menus/shop.yaml');

export const good = `environment: test
database: { file: data/till.db }
service:
  url: http://127.0.0.1:9000/
merchants:
  - id: demo
    name: Demo Shop
    key: \${DEMO_KEY}
    webhookSecrets:
      - \${DEMO_WEBHOOK_SECRET}
    menu: ${shop}
channels:
  - id: demo-nalo
    aggregator: nalo
    secret: \${DEMO_NALO_SECRET}
    serviceCode: "*713*5#"
    merchant: demo
`;

export function write(text: string): string {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, text);
  return file;
}

export function load(text: string, variables: Record<string, string | undefined> = env) {
  return loadConfig(write(text), variables, aggregators);
}

/** Returns the errors after the heading, with file names instead of paths; none when the configuration loads. */
export function errorsOf(text: string, variables: Record<string, string | undefined> = env): string[] {
  try {
    load(text, variables);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) =>
      line.replace(/^\S+(?=:\d+)/, (path) => basename(path)).replace(/^dialtill\.yaml:(\d+)(:\d+)?/, '$1'),
    );
  }
}

/** Returns the configuration with additional settings of its only channel, which start at line 18. */
export const withChannel = (...lines: string[]) => `${good}${lines.map((line) => `    ${line}\n`).join('')}`;
