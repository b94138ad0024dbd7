import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { ErrorBody } from '../../contract/error.ts';
import { eventIdHeader } from '../../contract/event.ts';
import { unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { callerOf } from '../../shared/http/caller.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import { type Delivery, type ReceiveDeps, receive } from './receive.ts';

export type WebhookRouteDeps = ReceiveDeps & {
  merchant(id: string): Delivery['merchant'];
  /** Called after an event was stored, so that the worker does not wait for its next round. */
  onStored(): void;
  log: Log;
  /** Deliveries that are rejected: any stranger can send them. */
  forgeries: LogSummary;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
};

/** Standard Webhooks recommends payloads below 20 kB. */
const maxDeliveryBytes = 64 * 1024;

function errorBody(code: string, message: string): ErrorBody {
  return { error: { code, message } };
}

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables };

/**
 * Serves `POST /webhooks/:merchant`. Responds with 2xx only when the event is durably stored. The response to a wrong
 * signature does not reveal whether the merchant exists.
 */
export function webhookRoute(deps: WebhookRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const tooLarge = bodyLimit({
    maxSize: maxDeliveryBytes,
    onError: (c) => c.json(errorBody('body_too_large', `at most ${maxDeliveryBytes} bytes`), 413),
  });
  app.post('/webhooks/:merchant', tooLarge, async (c) => {
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
      return c.json(errorBody('unsupported_media_type', 'deliveries are application/json'), 415);
    }
    const merchant = deps.merchant(c.req.param('merchant'));
    const receipt = await receive(deps, {
      merchant,
      signature: c.req.header(deps.signature.header),
      eventId: c.req.header(eventIdHeader),
      body: new Uint8Array(await c.req.arrayBuffer()),
    });
    if (receipt.kind === 'forged' || !merchant) {
      const caller = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
      deps.forgeries.record(merchant ? 'wrong_signature' : 'unknown_merchant', {
        merchant: merchant?.id,
        caller,
      });
      return c.json(errorBody('bad_signature', 'the signature does not match'), 401);
    }
    grantAccess(c.env);
    const request = c.get('requestId');
    switch (receipt.kind) {
      case 'stored':
      case 'hint':
      case 'duplicate':
        deps.log.info(
          { request, merchant: merchant.id, event: receipt.eventId, receipt: receipt.kind },
          'webhook',
        );
        if (receipt.kind === 'hint') {
          deps.log.error(
            { request, merchant: merchant.id, event: receipt.eventId, alarm: 'stale_webhook' },
            'the signature of a webhook is too old: the event causes a poll and no booking. Check the clocks',
          );
        }
        if (receipt.kind !== 'duplicate') deps.onStored();
        return c.json({ received: true });
      case 'unreadable':
        return c.json(errorBody('unreadable_event', receipt.detail), 400);
      default:
        return unreachable(receipt);
    }
  });
  return app;
}
