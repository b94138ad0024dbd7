import { z } from 'zod';
import {
  type Action,
  type AdminSession,
  type Fee,
  type Key,
  type MerchantView,
  type PlatformView,
  type SenderView,
  type SessionPrompt,
  scopes,
} from '../../contract/service/admin.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { channels, type SessionChannel } from '../../contract/service/session.ts';
import { type EffectiveFee, readSchedule, scheduleView } from '../fee/fee-store.ts';
import {
  apiError,
  isApiError,
  isoTime,
  isoTimeOrNull,
  jsonResponse,
  type PageQuery,
  pageResponse,
} from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { CreatedKey, RotatedKey } from '../key/key-operations.ts';
import type { ApiKey } from '../key/key-store.ts';
import type { MerchantRow, PlatformRow, SenderRow } from '../merchant/merchant-store.ts';
import type { Prompt } from '../rail/prompt-store.ts';
import type { ServiceReviewRow } from '../review/review-store.ts';
import type { SessionRow } from '../session/session-store.ts';
import { sessionView } from '../session/view.ts';
import { writeStatement } from '../statement-query.ts';
import { viewEventDelivery } from '../webhook/operations.ts';
import type { AdminAction } from './admin-store.ts';
import type { AdminOperations } from './operations.ts';

const dayMs = 24 * 3_600_000;

/** The admin API, without webhooks, reviews and the test clock: these register their own routes. */
export function adminRoutes(router: Router, operations: AdminOperations): void {
  merchantRoutes(router, operations);
  adminSessionRoutes(router, operations);
  router.admin(
    serviceOperations.getStatement,
    async ({ params: { id: merchantId }, query: { date, livemode } }) => {
      if (!(await operations.findMerchant(merchantId))) return apiError('merchant_not_found');
      const from = Date.parse(date);
      const day = { merchantId, livemode: livemode === 'true' ? 1 : 0, from, to: from + dayMs } as const;
      const charges = await operations.listDayCharges(day);
      if (!charges) return apiError('statement_too_long');
      return {
        kind: 'response',
        status: 200,
        body: writeStatement(charges),
        type: 'text/csv; charset=utf-8',
      };
    },
  );
  router.admin(serviceOperations.listActions, ({ query }) =>
    pageResponse(query, operations.listActions, actionView),
  );
}

function actionView({ id, at, requestId, action, subject }: AdminAction): Action {
  return { id, at: isoTime(at), request_id: requestId, action, subject };
}

function adminSessionRoutes(
  router: Router,
  { adminSessions, findSession, findReview }: AdminOperations,
): void {
  router.admin(serviceOperations.findSessions, ({ query }) => {
    const filter = {
      merchantId: query.merchant_id,
      livemode: query.livemode === undefined ? undefined : query.livemode === 'true' ? 1 : 0,
      status: query.status,
      reference: query.reference,
      payer: query.msisdn,
    } as const;
    return pageResponse(
      query,
      (limit, cursor) => adminSessions.list(filter, limit, cursor),
      async (session) => adminSessionView(session, await findReview(session.id)),
    );
  });

  router.admin(serviceOperations.findSession, async ({ params: { id } }) => {
    const session = await findSession(id);
    if (!session) return apiError('session_not_found');
    const [review, prompts, events] = await Promise.all([
      findReview(id),
      adminSessions.prompts(id),
      adminSessions.events(id),
    ]);
    return jsonResponse(200, {
      session: adminSessionView(session, review),
      prompts: prompts.map(promptView),
      events: events.map(viewEventDelivery),
    });
  });
}

function promptView(prompt: Prompt): SessionPrompt {
  return {
    id: prompt.id,
    status: prompt.status,
    amount_minor: prompt.amountMinor,
    charged_minor: prompt.chargedMinor,
    created_at: isoTime(prompt.createdAt),
    closed_at: isoTimeOrNull(prompt.closedAt),
  };
}

function adminSessionView(session: SessionRow, review: ServiceReviewRow | undefined): AdminSession {
  const shown = sessionView(session, review);
  const note = review?.note ? { note: review.note } : {};
  return {
    ...shown,
    ...(shown.review ? { review: { ...shown.review, ...note } } : {}),
    merchant_id: session.merchantId,
    platform_id: session.platformId,
    livemode: session.livemode === 1,
    held: session.heldAt !== null,
  };
}

/** Seconds that a replaced key still works. */
const overlapS = 24 * 3_600;

function merchantRoutes(router: Router, operations: AdminOperations): void {
  const { fees } = operations;
  const ofMerchant = (status: number) => (found: MerchantRow) => jsonResponse(status, merchantView(found));
  const ofPlatform = (made: PlatformRow) => jsonResponse(201, platformView(made));
  const ofKey = ({ id, key }: CreatedKey) => jsonResponse(201, { id, key });
  const ofRotation = ({ id, key, oldExpiresAt }: RotatedKey) =>
    jsonResponse(201, { id, key, old_key_expires_at: isoTime(oldExpiresAt) });
  const ofFee = (current: EffectiveFee) => jsonResponse(200, feeView(current));
  const ofSender = (approved: SenderRow) => jsonResponse(200, senderView(approved));

  /** Returns a page of what one merchant has, for a merchant that exists. */
  const pageOf =
    <Row extends { id: string }>(
      list: (merchantId: string, limit: number, cursor?: string) => Promise<Row[]>,
      view: (row: Row) => object,
    ) =>
    async ({ params: { id }, query }: { params: { id: string }; query: PageQuery }) =>
      (await operations.findMerchant(id))
        ? pageResponse(query, (limit, cursor) => list(id, limit, cursor), view)
        : apiError('merchant_not_found');

  router.admin(serviceOperations.listMerchants, ({ query }) =>
    pageResponse(query, operations.listMerchants, merchantView),
  );
  router.admin(serviceOperations.createMerchant, ({ body, act }) =>
    act(ofMerchant(201), (write) => operations.createMerchant(body, write)),
  );
  router.admin(serviceOperations.getMerchant, async ({ params: { id } }) => {
    const found = await operations.findMerchant(id);
    return found ? ofMerchant(200)(found) : apiError('merchant_not_found');
  });
  router.admin(serviceOperations.approveOffline, ({ params: { id }, act }) =>
    act(ofMerchant(200), (write) => operations.approveOffline(id, write)),
  );
  router.admin(serviceOperations.withdrawOffline, ({ params: { id }, act }) =>
    act(ofMerchant(200), (write) => operations.withdrawOffline(id, write)),
  );

  router.admin(serviceOperations.listPlatforms, pageOf(operations.listPlatforms, platformView));
  router.admin(serviceOperations.createPlatform, ({ params: { id: merchantId }, body: { name }, act }) =>
    act(ofPlatform, (write) => operations.createPlatform({ merchantId, name }, write)),
  );

  router.admin(serviceOperations.listKeys, pageOf(operations.listKeys, keyView));
  router.admin(serviceOperations.createKey, ({ params: { id: merchantId }, body, act }) => {
    const { livemode, platform_id: platformId, scopes } = body;
    return act(ofKey, (write) => operations.createKey({ merchantId, platformId, livemode, scopes }, write));
  });
  router.admin(serviceOperations.rotateKey, ({ params: { id }, body: { overlap_seconds = overlapS }, act }) =>
    act(ofRotation, (write) => operations.rotateKey(id, overlap_seconds * 1_000, write)),
  );
  router.admin(serviceOperations.revokeKey, ({ params: { id }, act }) =>
    act(
      () => jsonResponse(200, { id, revoked: true }),
      (write) => operations.revokeKey(id, write),
    ),
  );

  router.admin(serviceOperations.listFees, async ({ params: { id } }) => {
    const found = await fees.list(id);
    if (isApiError(found)) return found;
    return jsonResponse(200, { data: found.map(feeView), has_more: false, next_cursor: null });
  });
  router.admin(serviceOperations.setFee, async ({ params: { id, channel }, body, act }) => {
    if (!isChannel(channel)) return apiError('not_found');
    const schedule = readSchedule(body);
    return isApiError(schedule)
      ? schedule
      : act(ofFee, (write) => fees.override(id, channel, schedule, write));
  });
  router.admin(serviceOperations.clearFee, async ({ params: { id, channel }, act }) =>
    isChannel(channel) ? act(ofFee, (write) => fees.clear(id, channel, write)) : apiError('not_found'),
  );

  const listSenders = async (...page: Parameters<typeof operations.listSenders>) =>
    (await operations.listSenders(...page)).map((sender) => ({ ...sender, id: sender.name }));
  router.admin(serviceOperations.listSenders, pageOf(listSenders, senderView));
  router.admin(serviceOperations.approveSender, ({ params: { id, name }, act }) =>
    act(ofSender, (write) => operations.approveSender(id, name, write)),
  );
  router.admin(serviceOperations.removeSender, ({ params: { id, name }, act }) =>
    act(
      () => jsonResponse(200, { name, removed: true }),
      (write) => operations.removeSender(id, name, write),
    ),
  );
}

function feeView({ channel, overridden, schedule }: EffectiveFee): Fee {
  return { channel, overridden, schedule: scheduleView(schedule) };
}

/** The router does not validate path parameters. */
function isChannel(text: string): text is SessionChannel {
  return channels.some((channel) => channel === text);
}

function senderView({ name, approvedAt }: SenderRow): SenderView {
  return { name, approved_at: isoTime(approvedAt) };
}

function merchantView(merchant: MerchantRow): MerchantView {
  return {
    id: merchant.id,
    name: merchant.name,
    offline_approved_at: isoTimeOrNull(merchant.offlineApprovedAt),
    created_at: isoTime(merchant.createdAt),
  };
}

function platformView(platform: PlatformRow): PlatformView {
  return {
    id: platform.id,
    merchant_id: platform.merchantId,
    name: platform.name,
    created_at: isoTime(platform.createdAt),
  };
}

const scopeList = z.array(z.enum(scopes));

function keyView(key: ApiKey): Key {
  return {
    id: key.id,
    platform_id: key.platformId,
    livemode: key.livemode === 1,
    ending: key.ending,
    scopes: scopeList.parse(JSON.parse(key.scopes)),
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt),
    expires_at: isoTimeOrNull(key.expiresAt),
    revoked_at: isoTimeOrNull(key.revokedAt),
  };
}
