import { serviceOperations } from '../../contract/service/service-operations.ts';
import { offlineSessionRequest, webSessionRequest } from '../../contract/service/session.ts';
import { type Clock, type EpochMs, watchedClock } from '../../shared/clock.ts';
import { createRateLimit } from '../../shared/limits/per-key.ts';
import type { Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { type ClaimNewEvent, recordEvents } from '../event/record.ts';
import type { FeeSchedules } from '../fee/fee-store.ts';
import { apiError, jsonResponse, pageResponse } from '../http/response.ts';
import type { MerchantChecks, Router } from '../http/router.ts';
import { checkOffline, checkScope, modeScopes } from '../key/authenticate.ts';
import { createLoop } from '../loop.ts';
import { useOtp } from '../otp/verify.ts';
import type { ReportRailResult, SelectRail } from '../rail/rail.ts';
import { createSimulatedRail } from '../rail/simulated-rail.ts';
import { openServiceReview, resolveReview, settleRefund } from '../review/review-operations.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { Livemode } from '../schema.ts';
import { applyRailResult, inquireSessions } from './apply-rail-result.ts';
import { closeSession, expireSessions } from './close.ts';
import { type CreateSession, createSession } from './create.ts';
import { type InitiateSession, initiateSession } from './initiate.ts';
import type { SessionRow, SessionStore } from './session-store.ts';
import { sessionView, statusView } from './view.ts';

/**
 * Creates the operations on payment sessions, the rails that carry their prompts, and two loops for each mode: one runs
 * the rail and expires sessions, one inquires about sessions without a result. A live rail that fails does not delay test
 * sessions.
 */
export function createSessionOperations(
  settings: Settings,
  context: ServiceContext & {
    schedules: FeeSchedules;
    claimNewEvent: ClaimNewEvent;
    /** Schedules a round of deliveries. */
    wakeDeliveries(at: EpochMs): void;
  },
) {
  const { clock } = context;
  const pushClock = watchedClock(clock);
  const record = recordEvents({
    ...context,
    magicDelayMs: settings.rail.magicDelayMs,
    claim: context.claimNewEvent,
    wake: context.wakeDeliveries,
  });
  const close = closeSession({ ...context, recordEvent: record.closed });
  const recordResult = applyRailResult({
    ...context,
    close,
    openReview: openServiceReview({ ...context, recordEvent: record.review }),
  });
  const report: ReportRailResult = (result) => recordResult(result);

  const simulatedRail = createSimulatedRail({
    ...context,
    clock: pushClock,
    config: { ...settings.rail, ...settings.session },
    recordResult,
    wake: (at) => loops[0].wakeBy(at),
  });
  const testRail = context.wrapRail?.(simulatedRail, report) ?? simulatedRail;
  const liveRail = context.liveRail?.(report);
  const selectRail: SelectRail = (livemode) => (livemode === 0 ? testRail : liveRail);

  const expire = expireSessions({ ...context, close });
  const sessionLoop = (livemode: Livemode) =>
    createLoop({
      ...context,
      name: livemode === 0 ? 'test sessions' : 'live sessions',
      // A session expires only after the rail has reported all its results: one of them may be the payment.
      async round() {
        const railDue = await selectRail(livemode)?.round();
        if (railDue !== undefined && railDue <= clock.now()) return railDue;
        return earliest(railDue, await expire(livemode));
      },
    });
  const loops = { 0: sessionLoop(0), 1: sessionLoop(1) };

  const inquire = inquireSessions({ ...context, clock: pushClock, close, report });
  const inquiryLoop = (livemode: Livemode) =>
    createLoop({
      ...context,
      name: livemode === 0 ? 'test inquiries' : 'live inquiries',
      async round() {
        const rail = selectRail(livemode);
        return rail && inquire(livemode, rail);
      },
    });
  const inquiryLoops = { 0: inquiryLoop(0), 1: inquiryLoop(1) };
  const scheduleExpiry = (at: EpochMs, livemode: Livemode) => loops[livemode].wakeBy(at);

  return {
    create: createSession({
      ...context,
      useOtp: useOtp({ ...context, config: settings.otp }),
      scheduleExpiry,
    }),
    initiate: initiateSession({
      ...context,
      clock: pushClock,
      close,
      selectRail,
      promptLifetimeMs: settings.rail.promptLifetimeMs,
      longStopMs: settings.session.longStopMs,
      promptLimit: createRateLimit(settings.limits.prompts, clock),
      scheduleExpiry,
      scheduleInquiry: (at, livemode) => inquiryLoops[livemode].wakeBy(at),
    }),
    resolveReview: resolveReview({ ...context, close }),
    settleRefund: settleRefund({ ...context, recordEvent: record.refund }),
    phone: simulatedRail.phone,
    setRailSilent: simulatedRail.setSilent,
    loops: [loops[0], loops[1], inquiryLoops[0], inquiryLoops[1]],
    /** When the first push in flight continues; infinity when none waits. */
    nextPushWake: pushClock.nextWake,
  };
}

function earliest(one: EpochMs | undefined, other: EpochMs | undefined): EpochMs | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

export function sessionRoutes(
  router: Router,
  operations: {
    create: CreateSession;
    initiate: InitiateSession;
    sessions: SessionStore;
    reviews: ReviewStore;
    clock: Clock;
  },
): void {
  const { sessions, reviews, clock } = operations;

  router.merchant(
    serviceOperations.createSession,
    ({ caller, body, savedResponse }) => operations.create(caller, body, savedResponse),
    {
      authorize(caller, raw) {
        if (raw.mode === 'offline') return checkOffline(caller);
        if (raw.mode !== undefined && raw.mode !== 'web') return apiError('invalid_mode', { param: 'mode' });
        return checkScope(caller, modeScopes.web);
      },
      schemaFor: (raw) => (raw.mode === 'offline' ? offlineSessionRequest : webSessionRequest),
      requiresIdempotencyKey: (raw) => raw.mode === 'offline',
    },
  );

  const initiateChecks: MerchantChecks<unknown, { kind: 'found'; session: SessionRow } | undefined> = {
    async authorize(caller, _raw, { session_id: id = '' }) {
      const session = await sessions.find(caller, id);
      return session && (checkScope(caller, modeScopes[session.mode]) ?? { kind: 'found', session });
    },
  };

  router.merchant(
    serviceOperations.initiateSession,
    ({ caller, found, savedResponse }) => operations.initiate(caller, found?.session, savedResponse),
    initiateChecks,
  );

  router.merchant(serviceOperations.getSessionStatus, async ({ caller, params: { session_id: id } }) => {
    const session = await sessions.find(caller, id);
    if (!session) return apiError('session_not_found');
    return jsonResponse(200, statusView(session, { review: await reviews.find(id), now: clock.now() }));
  });

  router.merchant(serviceOperations.getSession, async ({ caller, params: { session_id: id } }) => {
    const session = await sessions.find(caller, id);
    if (!session) return apiError('session_not_found');
    return jsonResponse(200, sessionView(session, await reviews.find(id)));
  });

  router.merchant(serviceOperations.listSessions, ({ caller, query }) =>
    pageResponse(
      query,
      (limit, cursor) => sessions.list(caller, query, limit, cursor),
      async (session) => sessionView(session, await reviews.find(session.id)),
    ),
  );
}
