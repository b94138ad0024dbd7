import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Person } from '../access/actor.ts';
import { can } from '../access/permissions.ts';
import { findPerson } from '../accounts/session.ts';
import { findToken } from './browser.ts';
import { type ConsoleCall, type ConsoleContext, defineRoute } from './define-route.ts';
import { getScope } from './scope.ts';

/** Streams of one person, and of all. Browsers open at most six connections to one host. */
export const liveLimits = { perKey: 4, total: 100 } as const;

/** Time between two reads of the version. */
const readEveryMs = 2_000;

/** Below the time after which the server closes a connection without a byte. */
const keepAliveMs = 5_000;

/**
 * The route that tells an open page of a payment about changes: `change` with the present version at first and after each change,
 * `same` in between, and `ended` when the person may no longer read the payment. A page then reads itself again, so that the stream
 * has nothing of the payment.
 */
export const paymentLiveRoutes = [
  defineRoute('GET /payments/:id/live', { needs: 'payments.read' }, async (call, context) => {
    const { c, id, person, reads, show } = call;
    const { streams } = context;
    if ((await reads.paymentVersion(getScope(person), id)) === undefined)
      return show({ title: 'No such payment', status: 404, body: 'No payment has this id.' });
    if (!streams.tryAcquire(person.accountId))
      return show({
        title: 'Too many open pages',
        status: 429,
        body: 'This page does not change by itself.',
      });
    const release = () => streams.release(person.accountId);
    const response = streamSSE(c, (events) => follow(context, call, events).finally(release));
    // Otherwise a stopping server waits for the connection after its stream has ended.
    response.headers.set('connection', 'close');
    return response;
  }),
];

async function follow(
  { accounts, publicUrl, clock, closing }: ConsoleContext,
  { c, id, person, reads }: ConsoleCall,
  events: SSEStreamingApi,
): Promise<void> {
  const left = new AbortController();
  events.onAbort(() => left.abort());
  const signal = AbortSignal.any([left.signal, closing]);
  let written: { version: string; at: number } | undefined;
  while (!signal.aborted) {
    const isAllowed = mayStillRead(await findPerson(accounts, findToken(c, publicUrl), false), person);
    const version = isAllowed ? await reads.paymentVersion(getScope(person), id) : undefined;
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
    can(now, 'payments.read')
  );
}
