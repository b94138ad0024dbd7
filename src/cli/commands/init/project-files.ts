import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { aggregators, demoChannels } from '../../../aggregators/registry.ts';
import { endpointSecret } from '../../../contract/staff/merchant-system.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorMessage, UserError } from '../../../shared/errors.ts';
import {
  createFolder,
  createPrivately,
  readPrivately,
  replacePrivately,
} from '../../../sqlite/private-file.ts';
import { askLedger } from '../../staff/open-ledger.ts';
import { createStaffClient } from '../../staff/staff-client.ts';
import { shellWord } from '../../terminal/output.ts';
import { type Choices, templates } from './choices.ts';

/** A small server that is notified of payments: the beginning of the merchant's own system. */
export const receiverFile = 'hooks.mjs';

function readReceiver(): string {
  const file = new URL(`../../../../fixtures/receivers/${receiverFile}`, import.meta.url);
  return readFileSync(file, 'utf8');
}

export function receiverCommand(configFile: string): string {
  return `node --env-file=.env ${shellWord(join(dirname(configFile), receiverFile))}`;
}

/**
 * Adds the endpoint of a new project: creates its ledger, as the first start of the gateway would.
 *
 * @returns the secret that signs its notifications.
 * @throws UserError when the ledger cannot be written.
 */
export async function addReceiver(
  { configFile, env, clock }: { configFile: string; env: Environment; clock: Clock },
  endpoint: { merchantId: string; url: string },
): Promise<string> {
  const open: typeof fetch = (input, init = {}) => {
    const { pathname } = new URL(String(input));
    return askLedger(configFile, env, { path: pathname, init });
  };
  const access = { url: 'http://127.0.0.1', urlFrom: configFile, configFile };
  const client = createStaffClient(
    { fetch: open, clock },
    { ...access, configurationKey: env.DIALTILL_SECRETS_KEY ?? '' },
  );
  const { secret } = await client.post('/endpoints', endpointSecret, { ...endpoint, wholePayer: false });
  return secret;
}

/** Values that exist once per project. `key` is empty when the project has no sandbox: the service gives it. */
type ProjectSecrets = Readonly<
  Record<'key' | 'webhookSecret' | 'channelSecret' | 'sealKey' | 'secretsKey', string>
>;

/** Where the programs of a project are. Each port is written once. */
type ProjectAddresses = {
  port: number;
  serviceUrl: string;
  /** The service is the sandbox of the project, with simulated phones. */
  isSandbox: boolean;
};

/** The merchant's own system: its port, and the secret that signs its notifications. */
type ReceiverSettings = { port: number; secret: string };

/** The files of a project by their names. Only the owner may read the private ones. */
type ProjectFile = { name: string; text: string; isPrivate: boolean };

/** Returns the name as an identifier: `Abena's Stores` is `abena-s-stores`. */
function toSlug(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '');
}

export function getIdentifiers({ name, aggregator }: Choices): { merchantId: string; channelId: string } {
  const merchantId = toSlug(name);
  return { merchantId, channelId: `${merchantId}-${aggregator}` };
}

export function projectFiles(
  choices: Choices,
  secrets: ProjectSecrets,
  addresses: ProjectAddresses,
): readonly ProjectFile[] {
  const template = templates.find(({ name }) => name === choices.template) ?? templates[0];
  if (!template) throw new Error('there are no templates');
  return [
    { name: 'dialtill.yaml', text: configText(choices, addresses), isPrivate: false },
    { name: 'menu.yaml', text: readFileSync(template.file, 'utf8'), isPrivate: false },
    ...(choices.system === 'yes' ? [{ name: receiverFile, text: readReceiver(), isPrivate: false }] : []),
    { name: '.env', text: envText(secrets), isPrivate: true },
  ];
}

function configText(choices: Choices, { port, serviceUrl, isSandbox }: ProjectAddresses): string {
  const { merchantId, channelId } = getIdentifiers(choices);
  const title = aggregators[choices.aggregator]?.title ?? choices.aggregator;
  return `# Settings of the gateway. Every other setting has a default: docs/configuration.md lists them.
# \${NAME} is replaced by the variable NAME of the environment or of the file .env.
environment: test
listen:
  port: ${port} # the only place of this port; DIALTILL_PORT and --port replace it
database:
  file: data/dialtill.db
service:
  url: ${serviceUrl}${isSandbox ? '\n  simulator: true # the sandbox has simulated phones; remove this line for a real service' : ''}
${isSandbox ? 'phone: {} # pay in a browser at /phone; remove it for a real service\n' : ''}ledger:
  sealKey: \${DIALTILL_SEAL_KEY}
notify: # signed notifications to your own system: dialtill merchant endpoints add
  secretsKey: \${DIALTILL_SECRETS_KEY}
console: # for support staff, at /console: dialtill staff add
  # publicUrl: https://pay.example.com # the address of your proxy; without it, only browsers of this machine
  secretsKey: \${DIALTILL_SECRETS_KEY}
merchants:
  - id: ${merchantId}
    name: ${JSON.stringify(choices.name)}
    key: \${MERCHANT_KEY}
    webhookSecrets:
      - \${MERCHANT_WEBHOOK_SECRET}
    menu: menu.yaml
channels:
  - id: ${channelId}
    aggregator: ${choices.aggregator} # ${title}
    secret: \${CHANNEL_SECRET}
    serviceCode: "${choices.serviceCode}"
    merchant: ${merchantId}
${settingsText(choices.aggregator)}`;
}

/** Returns the settings that only some aggregators have, as an example to be changed. */
function settingsText(aggregator: string): string {
  const settings = demoChannels.find((channel) => channel.aggregator === aggregator)?.settings;
  if (!settings) return '';
  const indented = stringify({ settings }).replace(/^(?=.)/gm, '    ');
  return `    # An example: use the names of your aggregator's document (docs/aggregators.md).\n${indented}`;
}

function envText(secrets: ProjectSecrets): string {
  const { key, webhookSecret, channelSecret, sealKey, secretsKey } = secrets;
  return `# Secrets. Never commit this file. Variables of the environment take precedence.

# The merchant's secret key of the Payment Collection Service, sk_test_… or sk_live_…
MERCHANT_KEY=${key}
# The secret with which the service signs its webhooks.
MERCHANT_WEBHOOK_SECRET=${webhookSecret}
# The secret in the path of the aggregator's callback.
CHANNEL_SECRET=${channelSecret}
# The key that signs the blocks of the ledger.
DIALTILL_SEAL_KEY=${sealKey}
# The key that encrypts the secrets of notification endpoints and of accounts. Who has it can add accounts.
DIALTILL_SECRETS_KEY=${secretsKey}
`;
}

/** Returns what a project with a system of the merchant has in `.env` besides. */
export function receiverEnvText({ port, secret }: ReceiverSettings): string {
  return `# The merchant's own system, ${receiverFile}: the port of its endpoint, and the secret that signs its notifications.
HOOKS_PORT=${port}
HOOKS_SECRET=${secret}
`;
}

const ignored = ['.env', 'data/'];

/** Checks that a project can be created in a folder. @throws UserError when one of its files exists: nothing is overwritten. */
export function checkFree(folder: string, names: readonly string[]): void {
  const existing = names.filter((name) => existsSync(join(folder, name)));
  if (existing.length === 0) return;
  throw new UserError(
    `${folder} already has ${existing.join(', ')}. Nothing was changed. Choose another folder: dialtill init <folder>`,
  );
}

/**
 * Writes the files of a project, private ones with mode 0600, and names the private ones in .gitignore.
 *
 * @throws UserError when a file cannot be written.
 */
export function writeProject(folder: string, files: readonly ProjectFile[]): void {
  createFolder(folder);
  for (const { name, text, isPrivate } of files) {
    const file = join(folder, name);
    if (isPrivate) {
      createPrivately(file);
      replacePrivately(file, text);
    } else writeNew(file, text);
  }
  ignoreInGit(join(folder, '.gitignore'));
}

export function extendPrivately(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  replacePrivately(file, readPrivately(file) + text);
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    throw new UserError(`cannot create the file ${file}: ${errorMessage(cause)}`, { cause });
  }
}

function ignoreInGit(file: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const missing = ignored.filter((entry) => !lines.includes(entry));
  if (missing.length === 0) return;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeFileSync(file, `${before}${missing.join('\n')}\n`);
}

/** Ports that are tried from the first one. */
const tried = 10;

/** Returns a port of this machine on which no program listens: one of ten from `first`, or else one that the system chooses. */
export async function findFreePort(first: number): Promise<number> {
  for (let port = first; port < first + tried; port++) {
    if ((await listenBriefly(port)) !== undefined) return port;
  }
  return (await listenBriefly(0)) ?? first;
}

/** Returns the port; `undefined` when it is in use. */
async function listenBriefly(port: number): Promise<number | undefined> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
