import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { printJson } from '../terminal/output.ts';
import { type Output, type Paint, paintFor, printable } from '../terminal/terminal.ts';
import { readAddress } from './channels.ts';

export type HealthDeps = {
  fetch: typeof fetch;
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** Where this machine reaches the gateway of the configuration. @throws UserError when there is none to read. */
  gatewayUrl(config?: string): string;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Options = { config?: string; url?: string; json?: boolean };

const maxWaitMs = 3_000;

/** What a gateway answers on `/readyz`, as far as it is looked at here. */
const readiness = z.looseObject({
  status: z.enum(['ready', 'not ready']),
  database: z.boolean(),
  worker: z.boolean(),
  draining: z.boolean(),
  diskFull: z.boolean().optional(),
  recovering: z.boolean().optional(),
});
type Readiness = z.infer<typeof readiness>;

const help = `
Examples:
  $ dialtill health
  $ dialtill health --url http://10.1.0.7:8080 --json

Exit codes:
  0  the gateway is ready
  1  it is not, or it could not be asked
  2  wrong usage`;

/** `dialtill health`: for people, container health checks and scripts. Exits with 0 when the gateway is ready. */
export function registerHealth(program: Command, deps: HealthDeps): void {
  const { stdout, stderr, noColor, exit } = deps;
  program
    .command('health')
    .option('--config <file>', "the gateway's configuration file")
    .option('--url <url>', 'where the gateway listens (default: from the configuration)', addressOf)
    .option('--json', 'print what the gateway answers')
    .addHelpText('after', help)
    .action(async (options: Options) => {
      const url = options.url ?? deps.gatewayUrl(options.config);
      const asked = await ask(deps.fetch, url);
      if (typeof asked === 'string') {
        stderr.write(`${asked}\n`);
        exit(1);
        return;
      }
      if (options.json) printJson(stdout, asked);
      else stdout.write(tell(paintFor(stdout, noColor), url, asked));
      if (asked.status !== 'ready') exit(1);
    });
}

function addressOf(text: string): string {
  const address = readAddress(text);
  if (address === undefined)
    throw new InvalidArgumentError('expected an address such as http://127.0.0.1:8080');
  return address;
}

/** The gateway's answer; or, where there is none, what happened and what to do about it. */
async function ask(ofNetwork: typeof fetch, url: string): Promise<Readiness | string> {
  let status: number;
  let text: string;
  try {
    const answer = await ofNetwork(`${url}/readyz`, { signal: AbortSignal.timeout(maxWaitMs) });
    status = answer.status;
    text = await answer.text();
  } catch (fault) {
    return `no answer from a gateway at ${url}: ${whyNone(fault)}`;
  }
  const read = readiness.safeParse(jsonOf(text));
  if (read.success) return read.data;
  return `what answers at ${url} is no gateway: it says ${status} to /readyz. Look at listen.port in the configuration, or name another address with --url`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const elsewhere = 'name another address with --url';

function whyNone(fault: unknown): string {
  if (fault instanceof Error && fault.name === 'TimeoutError') {
    return `nothing within ${maxWaitMs / 1000} s. Its process hangs or cannot keep up: look at its log and at the machine, then start it anew`;
  }
  const code = codeOf(fault);
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens there (${code}). It does not run, or has ended: look at its log, and start it; or ${elsewhere}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `there is no such host (${code}): ${elsewhere}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no way to it (${code}). Look at the network, or ${elsewhere}`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `the connection broke (${code}). It is ending, has too many connections, or speaks TLS: look at its log, or ${elsewhere}`;
    default:
      return `${printable(code ?? messageOf(fault))}. Look at its log, or ${elsewhere}`;
  }
}

/** The state in a line, and a line for each thing that somebody has to know of, with what to do. */
function tell(paint: Paint, url: string, found: Readiness): string {
  const { status, database, worker, draining, diskFull, recovering } = found;
  const notes = [
    database ? '' : 'database    cannot be used. docs/operations.md, "A damaged file"',
    diskFull ? 'disk        full: nothing can be written. docs/operations.md, "A full disk"' : '',
    worker ? '' : 'worker      makes no rounds: no payment goes on. It starts up, or hangs: look at the log',
    draining ? 'draining    it was told to end, and takes nobody new' : '',
    recovering
      ? 'recovering  a restored copy: new payers are turned away for a while. docs/operations.md, "Recovery"'
      : '',
  ];
  const state = paint(status === 'ready' ? 'green' : 'red', status);
  return [`${url} is ${state}`, ...notes.filter(Boolean), ''].join('\n');
}
