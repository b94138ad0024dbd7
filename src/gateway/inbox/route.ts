import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { ErrorBody } from '../../contract/error.ts';
import { eventIdHeader } from '../../contract/event.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { type Delivery, type ReceiveDeps, receive } from './receive.ts';

export type WebhookRouteDeps = ReceiveDeps & {
  merchant(id: string): Delivery['merchant'] | undefined;
  /** Called after an event was stored, so that the worker does not wait for its next round. */
  onStored(): void;
  log: Log;
};

/** Standard Webhooks recommends payloads below 20 kB. */
const maxDeliveryBytes = 64 * 1024;

function errorBody(code: string, message: string): ErrorBody {
  return { error: { code, message } };
}

type Env = { Variables: RequestIdVariables };

/** Serves `POST /webhooks/:merchant`. Responds with 2xx only when the event is durably stored. */
export function webhookRoute(deps: WebhookRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  const tooLarge = bodyLimit({
    maxSize: maxDeliveryBytes,
    onError: (c) => c.json(errorBody('body_too_large', `at most ${maxDeliveryBytes} bytes`), 413),
  });
  app.post('/webhooks/:merchant', tooLarge, async (c) => {
    const merchant = deps.merchant(c.req.param('merchant'));
    if (!merchant) return c.json(errorBody('not_found', 'no such webhook address'), 404);
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
      return c.json(errorBody('unsupported_media_type', 'deliveries are application/json'), 415);
    }
    const receipt = await receive(deps, {
      merchant,
      signature: c.req.header(deps.signature.header),
      eventId: c.req.header(eventIdHeader),
      body: new Uint8Array(await c.req.arrayBuffer()),
    });
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
      case 'forged':
        deps.log.warn({ request, merchant: merchant.id }, 'the signature of a webhook does not match');
        return c.json(errorBody('bad_signature', 'the signature does not match'), 401);
      case 'unreadable':
        return c.json(errorBody('unreadable_event', receipt.detail), 400);
      default:
        return unreachable(receipt);
    }
  });
  return app;
}
