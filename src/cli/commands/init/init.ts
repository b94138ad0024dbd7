import { join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { UsageError, UserError } from '../../../shared/errors.ts';
import type { CommandContext } from '../../context.ts';
import { readUrl } from '../../gateway-url.ts';
import { createSandboxProcess } from '../../service/sandbox.ts';
import { type Paint, printJson, shellWord } from '../../terminal/output.ts';
import { callbackUrl } from '../channels.ts';
import { type Choices, completeChoices, templates } from './choices.ts';
import {
  addReceiver,
  checkFree,
  extendPrivately,
  getIdentifiers,
  projectFiles,
  receiverCommand,
  receiverEnvText,
  receiverFile,
  writeProject,
} from './project-files.ts';

export type InitDeps = Pick<CommandContext, 'stdin' | 'stdout' | 'clock' | 'ids'> & {
  /** Returns a port of this machine on which no program listens: the given one, or one of the next, or else any. */
  freePort(first: number): Promise<number>;
};

type Flags = Partial<Omit<Choices, 'serviceCode' | 'system'>> & {
  code?: string;
  system?: boolean;
  service?: string;
  yes?: true;
  json?: true;
};

/** The ports that a project gets where they are free: of the gateway, the sandbox and the merchant's own system. */
const firstPorts = { gateway: 8080, service: 8090, receiver: 3000 } as const;
const onPort = (port: number) => `http://127.0.0.1:${port}`;

const help = `
Templates:
${templates.map(({ name, description }) => `  ${name.padEnd(9)}${description}`).join('\n')}

Writes dialtill.yaml, menu.yaml, .env with new secrets (mode 0600) and .gitignore. Without --service, data/ gets a sandbox: a
collection service with test keys and simulated phones. With --system, hooks.mjs is a small server that is notified of payments: the
ledger gets its endpoint, and .env its secret. Ports that other programs use are not taken. Existing files are never changed, except
.gitignore.

Examples:
  $ dialtill init
  $ dialtill init my-till --yes
  $ dialtill init my-till --yes --system
  $ dialtill init my-till --name 'Abena Stores' --template school --aggregator nalo --code '*713*5#' --yes
  $ dialtill init my-till --service https://payments.example.com --yes

Exit codes:
  0  the project is there
  1  a file exists or cannot be written, or the questions were not answered
  2  invalid usage`;

export function registerInit(program: Command, deps: InitDeps): void {
  program
    .command('init')
    .argument('[folder]', 'folder of the project', '.')
    .option('--name <name>', "the merchant's name, as payers see it")
    .option('--template <name>', 'menu to begin with')
    .option('--aggregator <name>', 'USSD aggregator; "dialtill aggregators" lists them')
    .option('--code <code>', 'service code that payers dial')
    .option('--service <url>', 'use this Payment Collection Service instead of a sandbox')
    .option(
      '--system',
      "write hooks.mjs, the beginning of the merchant's own system, and notify it of payments",
    )
    .option('--no-system', 'the merchant has no system of its own')
    .option('--yes', 'ask nothing: use the defaults')
    .option('--json', 'print the written files and addresses as JSON; needs --yes')
    .addHelpText('after', help)
    .action((folder: string, flags: Flags) => init(deps, folder, flags));
}

async function init(deps: InitDeps, folder: string, flags: Flags): Promise<void> {
  const { stdin, stdout } = deps;
  const { paint } = stdout;
  const service = flags.service === undefined ? undefined : readUrl(flags.service);
  if (flags.service !== undefined && service === undefined)
    throw new UsageError(
      `--service: expected a URL such as https://payments.example.com, found ${flags.service}`,
    );
  const isAsking = !flags.yes;
  if (isAsking && (flags.json || !stdin.isTTY || !stdout.isTTY))
    throw new UsageError('the questions need a terminal: add --yes to use the defaults');
  const isSandbox = flags.service === undefined;
  const written = ['dialtill.yaml', 'menu.yaml', '.env', receiverFile, 'data/dialtill.db'];
  checkFree(folder, [...written, ...(isSandbox ? ['data/sandbox.db'] : [])]);
  const { name, template, aggregator, code } = flags;
  const system = flags.system === undefined ? undefined : flags.system ? 'yes' : 'no';
  const given = withoutUndefined({ name, template, aggregator, serviceCode: code, system });
  const choices = await completeChoices(given, isAsking ? { stdin, stdout, paint } : undefined);
  if (!choices) throw new UserError('no project was created');
  const made = await createProject(deps, folder, { choices, service });
  if (flags.json) printJson(stdout, made);
  else stdout.write(greeting(made, { choices, isSandbox, paint }));
}

function withoutUndefined(given: { [key in keyof Choices]: string | undefined }): Partial<Choices> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

type Made = {
  folder: string;
  files: string[];
  gatewayUrl: string;
  callbackUrl: string;
  webhookUrl: string;
  /** Where the merchant's own system is notified, if it has one. */
  endpointUrl?: string;
};

/** @param service the URL of the service; `undefined` for a sandbox. */
async function createProject(
  { clock, ids, freePort }: InitDeps,
  folder: string,
  { choices, service }: { choices: Choices; service: string | undefined },
): Promise<Made> {
  const isSandbox = service === undefined;
  const port = await freePort(firstPorts.gateway);
  const serviceUrl = service ?? onPort(await freePort(firstPorts.service));
  const gatewayUrl = onPort(port);
  const { merchantId, channelId } = getIdentifiers(choices);
  const [webhookSecret, channelSecret] = [ids.secret(), ids.secret()];
  const newKey = () => Buffer.from(ids.secret(), 'base64url').toString('base64');
  const [sealKey, secretsKey] = [newKey(), newKey()];
  const webhookUrl = `${gatewayUrl}/webhooks/${merchantId}`;
  const data = join(folder, 'data');
  const merchant = { name: choices.name, webhookUrl, webhookSecret };
  const key = isSandbox ? await createSandboxProcess(data, merchant, { clock, ids }) : '';
  const secrets = {
    key,
    webhookSecret: isSandbox ? webhookSecret : '',
    channelSecret,
    sealKey,
    secretsKey,
  };
  const files = projectFiles(choices, secrets, { port, serviceUrl, isSandbox });
  writeProject(folder, files);
  let endpointUrl: string | undefined;
  if (choices.system === 'yes') {
    const receiverPort = await freePort(firstPorts.receiver);
    endpointUrl = `${onPort(receiverPort)}/hooks`;
    // The service has not given its secrets yet. No call uses these.
    const standIns = { MERCHANT_KEY: `sk_test_${ids.secret()}`, MERCHANT_WEBHOOK_SECRET: ids.secret() };
    const written = parseEnv(files.find(({ name }) => name === '.env')?.text ?? '');
    const env = isSandbox ? written : { ...written, ...standIns };
    const configFile = join(folder, 'dialtill.yaml');
    const secret = await addReceiver({ configFile, env, clock }, { merchantId, url: endpointUrl });
    extendPrivately(folder, '.env', receiverEnvText({ port: receiverPort, secret }));
  }
  return {
    ...(endpointUrl === undefined ? {} : { endpointUrl }),
    gatewayUrl,
    folder: resolve(folder),
    files: [
      ...files.map((file) => file.name),
      '.gitignore',
      ...(isSandbox || endpointUrl !== undefined ? ['data/'] : []),
    ],
    callbackUrl: callbackUrl(gatewayUrl, channelId, '***'),
    webhookUrl,
  };
}

const purposes: Readonly<Record<string, string>> = {
  'dialtill.yaml': 'settings of the gateway',
  'menu.yaml': 'the screens that payers see',
  [receiverFile]: 'the beginning of your own system, which is notified of payments',
  '.env': 'secrets; only you can read it',
  '.gitignore': 'keeps secrets and data out of git',
  'data/': 'the ledger',
};

function greeting(
  made: Made,
  { choices, isSandbox, paint }: { choices: Choices; isSandbox: boolean; paint: Paint },
): string {
  const near = relative('.', made.folder);
  const enter = near === '' ? [] : [`    cd ${shellWord(near.startsWith('..') ? made.folder : near)}`];
  const sandbox = ', and a sandbox: a collection service with test keys and simulated phones';
  const getPurpose = (name: string) =>
    `${purposes[name] ?? ''}${name === 'data/' && isSandbox ? sandbox : ''}`;
  const files = made.files.map((name) => `  ${name.padEnd(15)}${getPurpose(name)}`);
  const console = [
    `    npx dialtill staff add <your-name> --role lead        (then sign in at ${made.gatewayUrl}/console/first-use)`,
  ];
  const receiver =
    made.endpointUrl === undefined
      ? []
      : [`    ${receiverCommand('dialtill.yaml')}        (your own system, in another terminal)`];
  const start = isSandbox
    ? [
        ...enter,
        '    npx dialtill dev        (the gateway and the sandbox; changes of the files apply at once)',
        ...receiver,
        `    npx dialtill dial ${shellWord(choices.serviceCode)} --msisdn 0244123456        (in another terminal)`,
        '    npx dialtill ledger find 0244123456',
        ...console,
      ]
    : [
        ...enter,
        '    Fill in MERCHANT_KEY and MERCHANT_WEBHOOK_SECRET in .env: the service gives them.',
        '    npx dialtill start',
        ...receiver,
        `    npx dialtill dial ${shellWord(choices.serviceCode)} --msisdn 0244123456`,
        ...console,
      ];
  return `${[
    `${paint('bold', choices.name)}: template ${choices.template}, aggregator ${choices.aggregator}, code ${choices.serviceCode}`,
    '',
    ...files,
    '',
    `  callback URL  ${made.callbackUrl}`,
    '                (for the aggregator; "npx dialtill channels --base https://… --secrets" prints all of it)',
    `  webhook URL   ${made.webhookUrl}`,
    '                (for the service, under your public address)',
    ...(made.endpointUrl === undefined
      ? []
      : [
          `  endpoint      ${made.endpointUrl}`,
          '                (of your own system; its secret is HOOKS_SECRET in .env)',
        ]),
    '',
    '  Next:',
    ...start,
    '',
    '  To change what payers see, edit menu.yaml and check it:',
    '    npx dialtill menu check menu.yaml --config dialtill.yaml',
    '',
  ].join('\n')}\n`;
}
