import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../access/actor.ts';
import { type ConsoleCall, type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';

/** Streams of one person, and of all. Browsers open at most six connections to one host. */
export const liveLimits = { perPerson: 4, total: 100 } as const;

/** Time between two reads of the version. */
const readEveryMs = 2_000;

/** Below the time after which the server closes a connection without a byte. */
const keepAliveMs = 5_000;

export type LiveDeps = {
  reader: ConsoleReader;
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** Returns the person of the request's cookie as of now, without prolonging the session. */
  personNow(c: Context): Promise<Person | undefined>;
  /** Aborts when the server stops. */
  closing: AbortSignal;
};

/**
 * Returns the route that tells an open page of a payment about changes: `change` with the present version at first and after each
 * change, `same` in between, and `ended` when the person may no longer read the payment. A page then reads itself again, so
 * that the stream has nothing of the payment.
 */
export function liveRoute(deps: LiveDeps): ConsoleRoute {
  const open = new Map<string, number>();
  const total = () => [...open.values()].reduce((sum, count) => sum + count, 0);

  async function stream(call: ConsoleCall<Person>): Promise<Response> {
    const { c, person, show } = call;
    const id = c.req.param('id') ?? '';
    const scope = scopeOf(person);
    if ((await deps.reader.by(person).paymentVersion(scope, id)) === undefined)
      return show({ title: 'No such payment', status: 404, body: 'No payment has this id.' });
    const own = open.get(person.accountId) ?? 0;
    if (own >= liveLimits.perPerson || total() >= liveLimits.total)
      return show({
        title: 'Too many open pages',
        status: 429,
        body: 'This page does not change by itself.',
      });
    open.set(person.accountId, own + 1);
    const release = () => {
      const left = (open.get(person.accountId) ?? 1) - 1;
      if (left === 0) open.delete(person.accountId);
      else open.set(person.accountId, left);
    };
    const response = streamSSE(c, (events) => follow(deps, call, events).finally(release));
    // Otherwise a stopping server waits for the connection after its stream has ended.
    response.headers.set('connection', 'close');
    return response;
  }

  return defineRoute('GET /payments/:id/live', stream);
}

async function follow(
  deps: LiveDeps,
  { c, person }: ConsoleCall<Person>,
  events: SSEStreamingApi,
): Promise<void> {
  const { reader, clock, closing } = deps;
  const left = new AbortController();
  events.onAbort(() => left.abort());
  const signal = AbortSignal.any([left.signal, closing]);
  const id = c.req.param('id') ?? '';
  let written: { version: string; at: number } | undefined;
  while (!signal.aborted) {
    const isAllowed = mayStillRead(await deps.personNow(c), person);
    const version = isAllowed ? await reader.by(person).paymentVersion(scopeOf(person), id) : undefined;
    if (version === undefined) return events.writeSSE({ event: 'ended', data: '' });
    const isOld = written !== undefined && clock.now() - written.at >= keepAliveMs;
    if (version !== written?.version || isOld) {
      await events.writeSSE({ event: version === written?.version ? 'same' : 'change', data: version });
      written = { version, at: clock.now() };
    }
    await clock.sleep(readEveryMs, signal);
  }
}

/** Returns whether the session still exists, with the role and the merchant with which the stream began. */
function mayStillRead(now: Person | undefined, { session, role, merchantId }: Person): boolean {
  return (
    now?.session.id === session.id &&
    now.role === role &&
    now.merchantId === merchantId &&
    mayUse(now.role, 'GET /payments/:id/live')
  );
}
