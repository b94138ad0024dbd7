import { hash, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { FoundCaller } from '../../kit/admission.ts';
import type { Clock } from '../../shared/clock.ts';
import type { AccessPolicy } from '../../shared/http/access.ts';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import { splitPath } from '../../shared/http/request-url.ts';
import { Lockout } from '../../shared/limits/per-key.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import { type ApiError, apiError } from '../api-error.ts';

/** Returns the token of an `Authorization: Bearer …` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header ?? '')?.[1];
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Compares two SHA-256 digests in constant time. */
export function sameDigest(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

const publicAreas: ReadonlySet<string | undefined> = new Set(['', 'docs', 'openapi.json']);

/** Paths without a key that programs call often: the health check, and the simulated phone of test sessions. */
const openAreas: ReadonlySet<string | undefined> = new Set(['healthz', 'handset']);

/** Creates the policy of the service: which requests the server serves without a limit. */
export function createServiceAccess(
  clock: AccessPolicy['clock'],
  trustedProxies: AccessPolicy['trustedProxies'],
): AccessPolicy {
  return {
    clock,
    trustedProxies,
    isPublic: ({ url }) => publicAreas.has(splitPath(url)[0]),
    mayBeAuthenticated: ({ url, headers }) =>
      openAreas.has(splitPath(url)[0]) || bearerToken(headers.authorization) !== undefined,
  };
}

/**
 * Wrong admin tokens after which a client's network is locked out for a minute. The right token is rejected too: otherwise an
 * attacker could continue to guess, only more slowly.
 */
const failureLimit = { limit: 10, lockoutMs: 60_000, maxKeys: 20_000 };

/**
 * Creates the check of the admin token, which holds for every request, also for paths that do not exist. `wallClock` is the
 * clock of the machine, also in a sandbox.
 */
export function checkAdminToken(deps: {
  adminToken: string;
  wallClock: Pick<Clock, 'now'>;
  trustedProxies: AccessPolicy['trustedProxies'];
  /** Requests with a wrong token. */
  wrongTokens: LogSummary;
}): (c: Context) => Promise<FoundCaller<undefined, ApiError>> {
  const adminDigest = sha256(deps.adminToken);
  const failures = new Lockout(failureLimit);

  return async (c) => {
    const { incoming }: Partial<HttpBindings> = c.env ?? {};
    // A call within the process has no address.
    const address = findClientAddress(incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
    const network = address === undefined ? undefined : getClientNetwork(address);
    const waitMs = network === undefined ? 0 : failures.waitMs(network, deps.wallClock.now());
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      return { refused: apiError('too_many_guesses', { retryAfterSeconds }) };
    }
    const token = bearerToken(c.req.header('authorization'));
    if (token !== undefined && sameDigest(sha256(token), adminDigest)) return { caller: undefined };
    if (network !== undefined) failures.record(network, deps.wallClock.now());
    deps.wrongTokens.record(token === undefined ? 'no_token' : 'wrong_token', { caller: address });
    return { refused: apiError('invalid_admin_token') };
  };
}
