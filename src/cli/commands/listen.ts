import type { Command } from 'commander';
import { z } from 'zod';
import { merchantApiPath, paymentEventPage } from '../../contract/merchant/merchant-api.ts';
import { type Tolerant, tolerant } from '../../contract/tolerant.ts';
import { type Environment, resolveVariable } from '../../gateway/config/secrets.ts';
import { UsageError, UserError } from '../../shared/errors.ts';
import { exchange } from '../../shared/http/exchange.ts';
import type { Ids } from '../../shared/ids.ts';
import { signRequest } from '../../shared/standard-webhook.ts';
import { replacePrivately } from '../../sqlite/private-file.ts';
import { addGatewayOptions } from '../command-options.ts';
import type { CommandContext } from '../context.ts';
import { checkTransport } from '../gateway-url.ts';
import { readStateFile } from '../state-file.ts';
import { oneLine, printable } from '../terminal/output.ts';

type ListenDeps = Pick<CommandContext, 'stdout' | 'env' | 'clock' | 'fetch' | 'ended'> & {
  ids: Pick<Ids, 'secret'>;
  gatewayUrl(options: { url?: string; config?: string }): string;
};

type Options = {
  forwardTo: string;
  url?: string;
  config?: string;
  cursor: string;
  fromStart?: true;
  once?: true;
};

type Event = Tolerant<z.infer<typeof paymentEventPage>>['data'][number];

/** How far the events were forwarded, and the secret that signs them. */
const cursorFile = z.object({ after: z.string(), secret: z.string() });
type Cursor = z.infer<typeof cursorFile>;

const pollMs = 1_000;
const retryMs = 2_000;
const maxShownAnswer = 100;
const maxAnswerBytes = 1024 * 1024;

const help = `
Forwards the notifications of a merchant to a program on this machine, without an endpoint. They have the bytes and the ids of a
delivery, and are signed with a secret of this command, which it prints. The cursor file remembers what was answered: the next start
forwards what was missed meanwhile. A notification whose receiver cannot be reached is sent again every 2 seconds; one that is answered
is not, whatever the status. End with ctrl-c.

Example:
  $ dialtill listen --forward-to http://127.0.0.1:3000/hooks

Environment:
  DIALTILL_MERCHANT_KEY  a key with the scope events:read: "dialtill merchant keys create"`;

export function registerListen(program: Command, deps: ListenDeps): void {
  addGatewayOptions(
    program.command('listen').requiredOption('--forward-to <url>', 'URL that receives the notifications'),
  )
    .option('--cursor <file>', 'file that remembers how far notifications were forwarded', 'listen.json')
    .option('--from-start', 'at the first start, forward all events (default: new ones only)')
    .option('--once', 'forward what was missed, and end')
    .addHelpText('after', help)
    .action(async (options: Options) => {
      if (!/^https?:\/\/./.test(options.forwardTo) || !URL.canParse(options.forwardTo))
        throw new UsageError('--forward-to: expected a URL such as http://127.0.0.1:3000/hooks');
      const stop = new AbortController();
      void deps.ended().then(() => stop.abort());
      await listen(deps, options, stop.signal);
    });
}

async function listen(deps: ListenDeps, options: Options, signal: AbortSignal): Promise<void> {
  const { clock, stdout } = deps;
  const url = deps.gatewayUrl(options);
  checkTransport({ url, urlFrom: options.url === undefined ? 'the configuration' : '--url' }, 'the key');
  const key = readMerchantKey(deps.env);
  const read = (after: string) => readPage(deps, { url, key, file: options.cursor }, after);
  const remedy = 'Remove it to forward from now on.';
  let cursor: Cursor = readStateFile(options.cursor, { schema: cursorFile, remedy }) ?? {
    after: options.fromStart ? '0' : (await read('end')).next,
    secret: `whsec_${Buffer.from(deps.ids.secret(), 'base64url').toString('base64')}`,
  };
  replacePrivately(options.cursor, `${JSON.stringify(cursor)}\n`);
  stdout.write(`Forwarding to ${printable(options.forwardTo)}, signed with ${cursor.secret}\n`);
  while (!signal.aborted) {
    const page = await read(cursor.after);
    for (const event of page.data) await forward(deps, event, { to: options.forwardTo, cursor, signal });
    if (signal.aborted) return;
    // A page that was forwarded in part is forwarded again: receivers recognise the ids.
    const isNew = page.next !== cursor.after;
    cursor = { ...cursor, after: page.next };
    if (isNew) replacePrivately(options.cursor, `${JSON.stringify(cursor)}\n`);
    if (page.data.length > 0) continue;
    if (options.once) return;
    await clock.sleep(pollMs, signal);
  }
}

/** Sends one notification until its receiver answers. */
async function forward(
  deps: ListenDeps,
  { id, type, timestamp, data }: Event,
  { to, cursor, signal }: { to: string; cursor: Cursor; signal: AbortSignal },
): Promise<void> {
  const body = JSON.stringify({ type, timestamp, data });
  while (!signal.aborted) {
    const signature = signRequest([cursor.secret], { id, at: deps.clock.now(), body });
    const headers = { 'content-type': 'application/json', ...signature };
    const answer = await exchange(deps, to, { method: 'POST', headers, body });
    const result = answer.ok
      ? `HTTP ${answer.status}  ${oneLine(answer.body).slice(0, maxShownAnswer)}`
      : `${answer.detail}; again in 2 seconds`;
    deps.stdout.write(printable(`${timestamp}  ${type}  ${data.short_reference}  ${result}`.trimEnd()));
    deps.stdout.write('\n');
    if (answer.ok) return;
    await deps.clock.sleep(retryMs, signal);
  }
}

type Source = { url: string; key: string; file: string };

async function readPage(deps: ListenDeps, { url, key, file }: Source, after: string) {
  const headers = { authorization: `Bearer ${key}` };
  const path = `${url}${merchantApiPath}/events?limit=100&after=${after}`;
  const answer = await exchange({ ...deps, maxAnswerBytes }, path, { headers });
  if (!answer.ok) throw new UserError(`no gateway at ${url}: ${answer.detail}. Name another with --url.`);
  if (answer.status === 401)
    throw new UserError(
      'the gateway does not know the key of DIALTILL_MERCHANT_KEY, or it was revoked: "dialtill merchant keys list" shows those that are valid',
    );
  if (answer.status === 403)
    throw new UserError(
      'the key needs the scope events:read: "dialtill merchant keys create" makes one with it',
    );
  if (answer.status === 400)
    throw new UserError(
      `the gateway does not know the cursor of ${file}: remove the file to forward from now on, or from the start with --from-start`,
    );
  const parsed =
    answer.status === 200 ? tolerant(paymentEventPage).safeParse(JSON.parse(answer.body)) : undefined;
  if (!parsed?.success) throw new UserError(`the gateway at ${url} answered HTTP ${answer.status}`);
  return parsed.data;
}

/** Reads the key of a merchant's own system from `DIALTILL_MERCHANT_KEY`, or from the file of `DIALTILL_MERCHANT_KEY_FILE`. */
export function readMerchantKey(env: Environment): string {
  const found = resolveVariable('DIALTILL_MERCHANT_KEY', env);
  if ('value' in found && /^dk_(test|live)_\S+$/.test(found.value)) return found.value;
  throw new UserError(
    'expected DIALTILL_MERCHANT_KEY in the environment: "dialtill merchant keys create" prints a key.',
  );
}
