import { z } from '@hono/zod-openapi';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, pageOf as page } from '../http/page.ts';
import { isoTime } from '../http/time.ts';
import { pageOf, pageQuery, time } from '../session/schemas.ts';
import type { AdminAction } from './audit-store.ts';
import type { BackOffice } from './operations.ts';

const actionShape = z
  .strictObject({
    id: z.string(),
    at: time,
    request_id: z.string().meta({ description: 'Of the call that did it; also in its `Request-Id` header.' }),
    action: z.string().meta({ description: "The operation's id in this document.", example: 'createKey' }),
    subject: z.string().meta({
      description: 'What it was done to, the whole before its part.',
      example: 'mch_01k5n8c0/key_01k5n8c0',
    }),
  })
  .meta({ id: 'Action' });

const list = operation({
  method: 'get',
  path: '/backoffice/actions',
  id: 'listActions',
  tag: 'Audit',
  summary: 'What was done in the back office, newest first',
  description: 'One row for each call that changed something, written in the same transaction as the change.',
  access: 'admin',
  query: z.strictObject(pageQuery),
  success: {
    status: 200,
    description: 'A page of actions.',
    schema: pageOf(actionShape).meta({ id: 'ActionPage' }),
  },
});

export function auditRoutes(serve: Endpoints, verbs: BackOffice): void {
  serve.admin(list, async ({ query: { limit = defaultPageSize, cursor } }) =>
    answer(200, page(await verbs.listActions(limit + 1, cursor), limit, view)),
  );
}

function view({ id, at, requestId, action, subject }: AdminAction): z.infer<typeof actionShape> {
  return { id, at: isoTime(at), request_id: requestId, action, subject };
}
