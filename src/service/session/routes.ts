import { serviceOperations } from '../../contract/service/service-operations.ts';
import { offlineSessionRequest, webSessionRequest } from '../../contract/service/session.ts';
import type { Clock } from '../../shared/clock.ts';
import { apiError } from '../api-error.ts';
import { jsonResponse, pageResponse } from '../http/response.ts';
import type { MerchantChecks, Router } from '../http/router.ts';
import { checkOffline, checkScope, modeScopes } from '../key/authenticate.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { CreateSession } from './create.ts';
import type { InitiateSession } from './initiate.ts';
import type { SessionRow, SessionStore } from './session-store.ts';
import { sessionView, statusView } from './view.ts';

/** Serves the operations on payment sessions, web and offline. */
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
