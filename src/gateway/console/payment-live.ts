import { streamVersions } from '../../shared/http/version-stream.ts';
import { can, type Person } from '../access/permissions.ts';
import { findPerson } from '../accounts/session.ts';
import { findToken } from './browser.ts';
import { defineConsoleRoute } from './define-route.ts';
import { getScope } from './scope.ts';

/** Streams of one person, and of all. Browsers open at most six connections to one host. */
export const liveLimits = { perKey: 4, total: 100 } as const;

/** Time between two reads of the version. */
const readEveryMs = 2_000;

/** Reports changes to an open page of a payment, while the person may read it. The stream has nothing of the payment itself. */
export const paymentLiveRoutes = [
  defineConsoleRoute('GET /payments/:id/live', { needs: 'payments.read' }, async (call, context) => {
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
    const { accounts, publicUrl, clock, closing } = context;
    return streamVersions(c, {
      ...{ clock, closing, readEveryMs },
      async read() {
        const now = await findPerson(accounts, findToken(c, publicUrl), false);
        return mayStillRead(now, person) ? reads.paymentVersion(getScope(person), id) : undefined;
      },
      onEnd: () => streams.release(person.accountId),
    });
  }),
];

/** Returns whether the session still exists, with the role and the merchant with which the stream began. */
function mayStillRead(now: Person | undefined, { session, role, merchantId }: Person): boolean {
  return (
    now?.session.id === session.id &&
    now.role === role &&
    now.merchantId === merchantId &&
    can(now, 'payments.read')
  );
}
