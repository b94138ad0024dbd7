import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { aggregators, demoChannels } from '../../../aggregators/registry.ts';
import type { Choices } from './choices.ts';
import { templates } from './templates.ts';

/** Values that exist once per project. `key` is empty when the project has no sandbox: the service gives it. */
export type ProjectSecrets = Readonly<
  Record<'key' | 'webhookSecret' | 'channelSecret' | 'sealKey' | 'secretsKey', string>
>;

/** The files of a project by their names. Only the owner may read the private ones. */
export type ProjectFile = { name: string; text: string; isPrivate: boolean };

/** Returns the name as an identifier: `Abena's Stores` is `abena-s-stores`. */
function slugOf(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '');
}

/** Returns the identifiers that a project derives from its choices. */
export function identifiersOf({ name, aggregator }: Choices): { merchantId: string; channelId: string } {
  const merchantId = slugOf(name);
  return { merchantId, channelId: `${merchantId}-${aggregator}` };
}

/**
 * Returns the files of a new project.
 *
 * @param serviceUrl the address of the Payment Collection Service.
 * @param isSandbox the service is the sandbox of the project, with a simulated phone.
 */
export function projectFiles(
  choices: Choices,
  secrets: ProjectSecrets,
  { serviceUrl, isSandbox }: { serviceUrl: string; isSandbox: boolean },
): readonly ProjectFile[] {
  const template = templates.find(({ name }) => name === choices.template) ?? templates[0];
  if (!template) throw new Error('there are no templates');
  return [
    { name: 'dialtill.yaml', text: configText(choices, { serviceUrl, isSandbox }), isPrivate: false },
    { name: 'menu.yaml', text: readFileSync(template.file, 'utf8'), isPrivate: false },
    { name: '.env', text: envText(secrets), isPrivate: true },
  ];
}

function configText(choices: Choices, service: { serviceUrl: string; isSandbox: boolean }): string {
  const { merchantId, channelId } = identifiersOf(choices);
  const title = aggregators[choices.aggregator]?.title ?? choices.aggregator;
  return `# Settings of the gateway. Every other setting has a default: docs/configuration.md lists them.
# \${NAME} is replaced by the variable NAME of the environment or of the file .env.
environment: test
listen:
  port: 8080 # of this machine only: DIALTILL_HOST names another address
database:
  file: data/dialtill.db
service:
  url: ${service.serviceUrl}${service.isSandbox ? '\n  simulator: true # the sandbox has simulated phones; remove this line for a real service' : ''}
${service.isSandbox ? 'phone: # pay in a browser; remove it for a real service\n  publicUrl: http://127.0.0.1:8080\n' : ''}ledger:
  sealKey: \${DIALTILL_SEAL_KEY}
notify: # signed notifications to your own system: dialtill merchant endpoints add
  secretsKey: \${DIALTILL_SECRETS_KEY}
console: # for support staff, at /console: dialtill staff add
  publicUrl: http://127.0.0.1:8080 # or the https address of your proxy
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
