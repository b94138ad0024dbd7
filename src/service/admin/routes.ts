import { z } from 'zod';
import { type Action, actionPage } from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import type { AdminAction } from './audit-store.ts';
import { feeRoutes } from './fee-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { merchantRoutes, platformRoutes } from './merchant-routes.ts';
import type { AdminOperations } from './operations.ts';
import { senderRoutes } from './sender-routes.ts';
import { adminSessionRoutes } from './session-routes.ts';

const list = operation({
  method: 'get',
  path: '/backoffice/actions',
  id: 'listActions',
  tag: 'Audit',
  summary: 'List the actions of the admin API, newest first',
  description: 'One row per call that changed something, written in the same transaction as the change.',
  access: 'admin',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of actions.', schema: actionPage },
});

function auditRoutes(router: Router, { listActions }: AdminOperations): void {
  router.admin(list, async ({ query: { limit = defaultPageSize, cursor } }) =>
    jsonResponse(200, toPage(await listActions(limit + 1, cursor), limit, actionView)),
  );
}

function actionView({ id, at, requestId, action, subject }: AdminAction): Action {
  return { id, at: isoTime(at), request_id: requestId, action, subject };
}

/** The admin API, without webhooks, reviews and the test clock: these register their own routes. */
export function adminRoutes(router: Router, operations: AdminOperations): void {
  merchantRoutes(router, operations);
  platformRoutes(router, operations);
  keyRoutes(router, operations);
  feeRoutes(router, operations);
  senderRoutes(router, operations);
  adminSessionRoutes(router, operations);
  auditRoutes(router, operations);
}
