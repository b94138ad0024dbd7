import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { callerOf } from '../../shared/http/caller.ts';
import type { Metrics } from './metrics.ts';

export type MetricsRouteDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Addresses that may read. */
  allowed: { has(address: string): boolean };
  /** Addresses of proxies whose `x-forwarded-for` is believed. */
  trustedProxies: { has(address: string): boolean };
};

type Env = { Bindings: Partial<HttpBindings> };

/** What proxies add, in one habit or another. */
const proxySigns = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
];

/**
 * `GET /metrics` for whoever calls from an allowed address; 404 for everybody else.
 *
 * What a proxy passes on may come from anywhere, also where the proxy is on this machine. Unless the proxy is trusted and
 * says from where, it is nobody's.
 */
export function metricsRoute({ metrics, allowed, trustedProxies }: MetricsRouteDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/metrics', async (c) => {
    const incoming = c.env?.incoming;
    const peer = incoming?.socket?.remoteAddress ?? '';
    const forwardedFor = c.req.header('x-forwarded-for');
    const isPassedOn = proxySigns.some((name) => c.req.header(name) !== undefined);
    if (isPassedOn && !(trustedProxies.has(peer) && forwardedFor !== undefined)) return c.notFound();
    const caller = callerOf(incoming, forwardedFor, trustedProxies);
    if (caller === undefined || !allowed.has(caller)) return c.notFound();
    return c.body(await metrics.text(), 200, {
      'content-type': metrics.contentType,
      'cache-control': 'no-store',
    });
  });
  return app;
}
