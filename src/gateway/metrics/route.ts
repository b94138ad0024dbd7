import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { grantAccess } from '../../shared/http/access.ts';
import { findClientAddress } from '../../shared/http/addresses.ts';
import type { Metrics } from './metrics.ts';

export type MetricsRouteDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Addresses that may read the metrics. */
  allowed: { has(address: string): boolean };
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
};

type Env = { Bindings: Partial<HttpBindings> };

/** Headers that proxies add. */
const proxyHeaders = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
];

/**
 * Serves `GET /metrics` to callers with an allowed address; other callers get 404.
 *
 * A forwarded request can come from any address, even through a proxy on this machine. It gets 404 unless the proxy is
 * trusted and sends an `x-forwarded-for` that names another address.
 */
export function metricsRoute({ metrics, allowed, trustedProxies }: MetricsRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/metrics', async (c) => {
    const incoming = c.env?.incoming;
    const peer = incoming?.socket?.remoteAddress ?? '';
    const forwardedFor = c.req.header('x-forwarded-for');
    const isForwarded = proxyHeaders.some((name) => c.req.header(name) !== undefined);
    const caller = findClientAddress(incoming, forwardedFor, trustedProxies);
    if (isForwarded && caller === peer) return c.notFound();
    if (caller === undefined || !allowed.has(caller)) return c.notFound();
    grantAccess(c.env);
    return c.body(await metrics.text(), 200, {
      'content-type': metrics.contentType,
      'cache-control': 'no-store',
    });
  });
  return app;
}
