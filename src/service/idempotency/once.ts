import { createHash } from 'node:crypto';
import type { Write } from '../../db/store.ts';
import type { Clock } from '../../shared/clock.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { Owner } from '../session/session-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** How long a key is remembered. */
export const keyLifeMs = 24 * 3_600_000;

/** An answer as it goes out; kept under its key, it is replayed byte for byte. */
export type Answer = { kind: 'answered'; status: number; body: string };

/** Makes the writes that keep an answer, for the batch that has the answer's effect. */
export type Keep = {
  first(answer: Answer): Write[];
  /** Replaces the answer that `first` kept, before anybody has seen it. */
  instead(answer: Answer): Write[];
};

export type Request = { key: string; fingerprint: string };

export type Once = (
  owner: Owner,
  request: Request | undefined,
  work: (keep: Keep) => Promise<Answer | Refused>,
) => Promise<(Answer & { replayed: boolean }) | Refused>;

const keepNothing: Keep = { first: () => [], instead: () => [] };

/** What makes two requests the same: method, path, and the bytes of the body. */
export function fingerprint(method: string, path: string, body: Uint8Array): string {
  return createHash('sha256').update(`${method}\n${path}\n`).update(body).digest('hex');
}

/**
 * Lets a request with an idempotency key have its effect once. A key belongs to a merchant and a mode, for 24
 * hours. The same request again gets the first answer; another request under the key, and the same one while
 * the first is being answered, are refused. A refusal is not kept, for it had no effect.
 *
 * Which requests are under way is known in memory alone: one process owns the database file, and its end ends
 * them all.
 */
export function makeOnce(kept: IdempotencyStore, clock: Clock): Once {
  const underWay = new Map<string, string>();

  return async (owner, request, work) => {
    if (!request) {
      const answer = await work(keepNothing);
      return answer.kind === 'refused' ? answer : { ...answer, replayed: false };
    }
    const { key, fingerprint } = request;
    const place = `${owner.livemode} ${owner.merchantId} ${key}`;
    const other = underWay.get(place);
    if (other !== undefined) {
      return other === fingerprint
        ? refuse('idempotency_in_progress', { retryAfterSeconds: 1 })
        : refuse('idempotency_key_reused');
    }
    underWay.set(place, fingerprint);
    try {
      const now = clock.now();
      const first = await kept.find(owner, key, now - keyLifeMs);
      if (first && first.fingerprint !== fingerprint) return refuse('idempotency_key_reused');
      if (first) return { kind: 'answered', status: first.status, body: first.body, replayed: true };
      const answer = await work({
        first: ({ status, body }) =>
          kept.insert({ ...owner, key, fingerprint, status, body, createdAt: now }, now - keyLifeMs),
        instead: ({ status, body }) => [kept.replace(owner, key, status, body)],
      });
      return answer.kind === 'refused' ? answer : { ...answer, replayed: false };
    } finally {
      underWay.delete(place);
    }
  };
}
