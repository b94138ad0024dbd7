import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { EpochMs } from '../../shared/clock.ts';
import { errorCode, errorMessage } from '../../shared/errors.ts';
import { tryParseJson } from '../../shared/json.ts';
import { plural } from '../../shared/plural.ts';
import { formatDuration } from '../../shared/time-text.ts';
import type { CommandContext } from '../context.ts';
import { readUrl } from '../gateway-url.ts';
import { type CommandOutput, type Paint, printable, printJson } from '../terminal/output.ts';

export type HealthDeps = Pick<CommandContext, keyof CommandOutput | 'clock' | 'fetch'> & {
  /** Returns the URL of the gateway that the options name. @throws UserError when there is no valid configuration. */
  gatewayUrl(options: { config?: string }): string;
};

type Options = { config?: string; url?: string; json?: boolean };

const maxWaitMs = 3_000;

/** The answer of a gateway to `GET /readyz`, as far as this command reads it. */
const readiness = z.looseObject({
  status: z.enum(['ready', 'not ready']),
  database: z.boolean(),
  worker: z.boolean(),
  draining: z.boolean(),
  diskFull: z.boolean().optional(),
  recovering: z.boolean().optional(),
  serviceUnavailable: z.boolean().optional(),
  rateLimited: z.boolean().optional(),
  keyRejected: z.boolean().optional(),
  ledgerUnsigned: z.boolean().optional(),
  unsealedSeconds: z.int().optional(),
  unplacedPayments: z.int().optional(),
  failingEndpoints: z.int().optional(),
  lastBackupAt: z.iso.datetime().nullish(),
});
type Readiness = z.infer<typeof readiness>;

const help = `
Examples:
  $ dialtill health
  $ dialtill health --url http://10.1.0.7:8080 --json

Exit codes:
  0  the gateway is ready
  1  the gateway is not ready, or is not reachable
  2  wrong usage`;

export function registerHealth(program: Command, deps: HealthDeps): void {
  const { stdout, stderr, exit } = deps;
  program
    .command('health')
    .option('--config <file>', 'configuration file of the gateway')
    .option('--url <url>', 'URL of the gateway (default: from the configuration)', parseUrl)
    .option('--json', "print the gateway's answer as JSON")
    .addHelpText('after', help)
    .action(async (options: Options) => {
      const url = options.url ?? deps.gatewayUrl(options);
      const answer = await readReadiness(deps.fetch, url);
      if (typeof answer === 'string') {
        stderr.write(`${answer}\n`);
        exit(1);
        return;
      }
      if (options.json) printJson(stdout, answer);
      else stdout.write(describe(stdout.paint, { url, now: deps.clock.now() }, answer));
      if (answer.status !== 'ready') exit(1);
    });
}

function parseUrl(text: string): string {
  const url = readUrl(text);
  if (url === undefined) throw new InvalidArgumentError('expected a URL such as http://127.0.0.1:8080');
  return url;
}

/** Returns the gateway's answer, or a message about its absence with what to do. */
async function readReadiness(fetchUrl: typeof fetch, url: string): Promise<Readiness | string> {
  let status: number;
  let text: string;
  try {
    const answer = await fetchUrl(`${url}/readyz`, { signal: AbortSignal.timeout(maxWaitMs) });
    status = answer.status;
    text = await answer.text();
  } catch (fault) {
    return `no answer from a gateway at ${url}: ${describeFault(fault)}`;
  }
  const parsed = readiness.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  return `${url} is not a gateway: /readyz returned ${status}. Check listen.port in the configuration, or set another URL with --url`;
}

const otherUrl = 'set another URL with --url';

function describeFault(fault: unknown): string {
  if (fault instanceof Error && fault.name === 'TimeoutError') {
    return `it did not answer within ${maxWaitMs / 1000} s. The process hangs or is overloaded: check its log and the load of the machine, then restart it`;
  }
  const code = errorCode(fault);
  switch (code) {
    case 'ECONNREFUSED':
      return `the connection was refused (${code}). The gateway is not running: check its log and start it, or ${otherUrl}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host name does not exist (${code}): ${otherUrl}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `the host is not reachable (${code}). Check the network, or ${otherUrl}`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `the connection was closed (${code}). The gateway is stopping, has too many connections, or expects TLS: check its log, or ${otherUrl}`;
    default:
      return `${printable(code ?? errorMessage(fault))}. Check the log of the gateway, or ${otherUrl}`;
  }
}

function describe(paint: Paint, { url, now }: { url: string; now: EpochMs }, readiness: Readiness): string {
  const { status, database, worker, draining, diskFull, recovering } = readiness;
  const { serviceUnavailable, rateLimited, ledgerUnsigned, unplacedPayments = 0, lastBackupAt } = readiness;
  const { failingEndpoints = 0, keyRejected, unsealedSeconds } = readiness;
  const notes = [
    database
      ? ''
      : `database    not usable. See docs/operations/damaged-file.md; a server can be away: check it`,
    diskFull ? 'disk        full: nothing can be written. See docs/operations/full-disk.md' : '',
    worker
      ? ''
      : 'worker      not running: no payment advances. The gateway is starting or hangs: check its log',
    draining ? 'draining    the gateway is stopping and accepts no new payers' : '',
    recovering
      ? 'recovering  after a restore: new payers are rejected for a while. See docs/operations/recovery.md'
      : '',
    serviceUnavailable
      ? 'service     does not answer: payments are not possible. See docs/operations/service-outage.md'
      : '',
    rateLimited
      ? 'calls       paused: the service limits them. Compare service.callsPerSecond with its limit'
      : '',
    keyRejected
      ? 'key         rejected by the service: no payment of its merchant is possible. See docs/operations/keys.md'
      : '',
    ledgerUnsigned
      ? 'ledger      new blocks are not signed: set ledger.sealKey. See docs/operations/tampering.md'
      : '',
    unsealedSeconds === undefined
      ? ''
      : `sealing     rows wait for their block for ${formatDuration(1_000 * unsealedSeconds)}. See docs/operations/alarms.md`,
    describeBackup(lastBackupAt, now),
    unplacedPayments > 0
      ? `unplaced    ${plural(unplacedPayments, 'payment')} without a collection: run "dialtill unplaced list"`
      : '',
    failingEndpoints > 0
      ? `endpoints   ${plural(failingEndpoints, 'endpoint')} of merchants without deliveries: run "dialtill merchant endpoints list"`
      : '',
  ];
  const state = paint(status === 'ready' ? 'green' : 'red', status);
  return [`${url} is ${state}`, ...notes.filter(Boolean), ''].join('\n');
}

function describeBackup(at: string | null | undefined, now: EpochMs): string {
  if (at === undefined) return '';
  if (at === null) return 'backup      none: the ledger is only on this disk. See docs/operations/backups.md';
  return `backup      the last verified one is ${formatDuration(Math.max(0, now - Date.parse(at)))} old`;
}
