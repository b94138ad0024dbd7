import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { eventIdHeader, signatureHeader } from '../../../contract/service/event.ts';
import { serviceOperations } from '../../../contract/service/service-operations.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import { signPayload } from '../../../service/webhook/attempt.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { exchange } from '../../../shared/http/exchange.ts';
import { systemIds } from '../../../shared/ids.ts';
import { createFolder, replacePrivately } from '../../../sqlite/private-file.ts';
import { readStateFile } from '../../state-file.ts';
import { type Output, oneLine, printable, printJson } from '../../terminal/output.ts';
import { RequestRejectedError, type ServiceClient } from '../admin-client.ts';
import { type CommandKit, type MerchantOptions, merchantOption } from '../command-kit.ts';
import { dataFolder } from '../find-service.ts';
import { connectAsMerchant } from './create-session.ts';

/**
 * How far the events were forwarded, and the secret that signs them. Identifiers ascend with time, but an event can be
 * committed shortly after a later one: those of the last minute are kept one by one.
 */
const cursorFile = z.object({
  /** Every event up to this identifier was forwarded, or is older than the first start. */
  after: z.string(),
  /** Later events that were forwarded. */
  recent: z.array(z.object({ id: z.string(), createdAt: z.number() })).max(1_000),
  secret: z.string(),
});
type Cursor = z.infer<typeof cursorFile>;

const recentMs = 60_000;
const maxRecent = 1_000;

function saveCursor(file: string, value: Cursor): void {
  replacePrivately(file, `${JSON.stringify(value)}\n`);
}

/** Returns the cursor after an event was forwarded. */
function afterEvent(value: Cursor, event: { id: string; createdAt: number }): Cursor {
  const recent = [...value.recent, event].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const newest = Math.max(...recent.map(({ createdAt }) => createdAt));
  let { after } = value;
  while (recent.length > maxRecent || (recent[0]?.createdAt ?? newest) < newest - recentMs) {
    after = recent.shift()?.id ?? after;
  }
  return { ...value, after, recent };
}

type EventHead = { id: string; type: string; sessionId: string; createdAt: number };

const maxPages = 100;

/** Returns the newest event's identifier; an empty text if there is none. */
async function newestEvent(api: ServiceClient): Promise<string> {
  const { data } = await api.operate(serviceOperations.listEvents, { query: { limit: '1' } });
  return data[0]?.id ?? '';
}

/** Returns the events that were not forwarded yet, oldest first. @throws UserError if they are more than 10,000. */
async function missedEvents(api: ServiceClient, { after, recent }: Cursor): Promise<EventHead[]> {
  const forwarded = new Set(recent.map(({ id }) => id));
  const missed: EventHead[] = [];
  let next: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await api.operate(serviceOperations.listEvents, {
      query: { limit: '100', cursor: next },
    });
    for (const { id, type, created_at, data } of page.data) {
      if (id <= after) return missed.reverse();
      if (forwarded.has(id)) continue;
      missed.push({ id, type, sessionId: data.id, createdAt: Date.parse(created_at ?? '') || 0 });
    }
    if (!page.next_cursor) return missed.reverse();
    next = page.next_cursor;
  }
  throw new UserError(
    'more than 10,000 events were missed. Remove the cursor file to forward the events from now on.',
  );
}

type Forwarded = { kind: 'answered'; status: number; body: string } | { kind: 'unreachable'; detail: string };

/** Sends an event as the service does: the same bytes and headers, signed with `secret` at the time of the attempt. */
async function forwardEvent(
  deps: { fetch: typeof fetch; clock: Clock },
  target: { url: string; secret: string },
  event: { id: string; body: string },
): Promise<Forwarded> {
  const response = await exchange(deps, target.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [eventIdHeader]: event.id,
      [signatureHeader]: signPayload([target.secret], deps.clock.now(), event.body),
    },
    body: event.body,
  });
  return response.ok
    ? { kind: 'answered', status: response.status, body: response.body }
    : { kind: 'unreachable', detail: response.detail };
}

type Options = MerchantOptions & { forwardTo: string; cursor?: string; fromStart?: true; once?: true };

type ListenDeps = {
  env: Environment;
  fetch: typeof fetch;
  clock: Clock;
  stdout: Output;
  ended(): Promise<string>;
};

const pollMs = 1_000;
const retryMs = 2_000;
const maxShownAnswer = 100;

const help = `
The cursor file remembers which events the receiver has answered: the next start forwards what was missed meanwhile. An
event whose receiver cannot be reached is sent again every 2 seconds. An event that is answered is not sent again, whatever
the status. The events have the bytes and the headers of a delivery and are signed with a secret of this command, which it
prints. End with ctrl-c.

The key is DIALTILL_SERVICE_KEY (or DIALTILL_SERVICE_KEY_FILE). Without it, the first use creates a test key and stores it in
the data folder.`;

export function registerServiceListen(service: Command, kit: CommandKit, deps: ListenDeps): void {
  kit
    .command(
      service,
      'listen',
      'forward the events of a merchant to a program on this machine',
      'listen --forward-to http://127.0.0.1:3000/hook',
    )
    .requiredOption('--forward-to <url>', 'URL that receives the events', webUrl)
    .addOption(merchantOption())
    .option('--cursor <file>', 'file that remembers the last event (default: listen.json in the data folder)')
    .option('--from-start', 'at the first start, forward all stored events (default: new ones only)')
    .option('--once', 'forward what was missed, and end')
    .addHelpText('after', help)
    .action(async (options: Options) => {
      const stop = new AbortController();
      void deps.ended().then(() => stop.abort());
      const api = await connectAsMerchant(kit, options, deps.env);
      await listen(api, options, deps, stop.signal);
    });
}

async function listen(
  api: ServiceClient,
  options: Options,
  deps: ListenDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, stdout } = deps;
  const folder = dataFolder(options.data, deps.env);
  const file = options.cursor ?? join(folder, 'listen.json');
  if (options.cursor === undefined) createFolder(folder);
  const remedy = 'Remove it to forward the events from now on.';
  let cursor =
    readStateFile(file, { schema: cursorFile, remedy }) ?? (await firstCursor(api, options, clock));
  saveCursor(file, cursor);
  if (!options.json) {
    stdout.write(`Forwarding to ${options.forwardTo}, signed with ${stdout.paint('bold', cursor.secret)}\n`);
  }
  const target = { url: options.forwardTo, secret: cursor.secret };

  /** Sends an event until it is answered. Returns false if the command ended before that. */
  async function deliver(event: EventHead): Promise<boolean> {
    const body = await api.text(serviceOperations.getEvent, { params: { id: event.id } });
    for (let tries = 0; !signal.aborted; tries++) {
      const sent = await forwardEvent(deps, target, { id: event.id, body });
      if (sent.kind === 'answered') {
        if (options.json) printJson(stdout, { ...event, answer: { status: sent.status, body: sent.body } });
        else stdout.write(eventLine(stdout, event, `${sent.status} ${sent.body}`));
        return true;
      }
      if (options.once) throw new UserError(`${target.url} cannot be reached: ${sent.detail}.`);
      if (tries === 0 && !options.json) stdout.write(eventLine(stdout, event, `waiting: ${sent.detail}`));
      await clock.sleep(retryMs, signal);
    }
    return false;
  }

  while (!signal.aborted) {
    for (const event of await whileUnreachable(deps, signal, () => missedEvents(api, cursor))) {
      if (!(await deliver(event))) break;
      cursor = afterEvent(cursor, event);
      saveCursor(file, cursor);
    }
    if (options.once) return;
    await clock.sleep(pollMs, signal);
  }
  if (!options.json) stdout.write('Stopped. The next start continues with the events that follow.\n');
}

async function firstCursor(api: ServiceClient, { fromStart }: Options, clock: Clock): Promise<Cursor> {
  const after = fromStart ? '' : await newestEvent(api);
  return { after, recent: [], secret: `whsec_${systemIds(clock).secret()}` };
}

/** Repeats a call while the service cannot be reached. Returns no events when the command ends meanwhile. */
async function whileUnreachable(
  { clock, stdout }: ListenDeps,
  signal: AbortSignal,
  call: () => Promise<EventHead[]>,
): Promise<EventHead[]> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await call();
    } catch (fault) {
      if (!(fault instanceof UserError) || fault instanceof RequestRejectedError) throw fault;
      if (tries === 0) stdout.write(`${printable(fault.message)}\n`);
      await clock.sleep(retryMs, signal);
    }
  }
  return [];
}

function eventLine({ paint }: Output, event: EventHead, answer: string): string {
  const shown = oneLine(printable(answer)).slice(0, maxShownAnswer).trim();
  const style = /^2\d\d /.test(`${answer} `) ? 'green' : 'yellow';
  return `${event.type}  ${event.id}  ${event.sessionId}  ${paint(style, shown)}\n`;
}

function webUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url.href;
  throw new InvalidArgumentError('Expected a URL such as http://127.0.0.1:3000/hook.');
}
