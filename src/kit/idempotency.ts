import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { SecretCipher } from './secret-cipher.ts';

/*
 * Requests that are carried out once. The collection service saves a response in the batch of its effect, in one process. The
 * gateway begins a row before the work, because several gateways write to one database and the effect has batches of its own.
 */

/** The characters of an `Idempotency-Key` header. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** Identifies a request: the SHA-256 of its method, its path and its body as canonical JSON (RFC 8785). */
export function fingerprint(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method}\n${path}\n${canonicalize(body) ?? ''}`);
}

/** The first request with a key: its fingerprint, and its answer as it is stored; null while it is in progress. */
export type KeyedRequest = { digest: string; answer: string | null };

/** Where requests with a key are recorded. */
export type KeyedRequests<First extends KeyedRequest, Refusal = never> = {
  /** Claims the key for this request. Returns the first request when the key is in use. */
  claim(): Promise<'claimed' | First | { refused: Refusal }>;
  /** Runs after every attempt, also after a fault. */
  release?(): void;
};

/** Why a request with a key is not carried out: another request has it, the first one is in progress, or its answer is unreadable. */
export type OnceRefusal = 'reused' | 'in_progress' | 'unreadable';

/** The cipher of answers without a secret. */
export const plainText: SecretCipher = { encrypt: (text) => text, decrypt: (text) => text };

/**
 * Carries a request out at most once: a repetition gets the answer of the first.
 *
 * @param owner the owner and the key, to which encrypted answers are bound.
 * @param cipher encrypts answers. Absent: an answer is neither stored nor read.
 * @param work gets the function that returns an answer as it is stored.
 */
export async function runKeyedOnce<First extends KeyedRequest, Outcome, Refusal = never>(
  { digest, owner, cipher }: { digest: string; owner: string; cipher: SecretCipher | undefined },
  { claim, release }: KeyedRequests<First, Refusal>,
  work: (toStored: (answer: string) => string | undefined) => Promise<Outcome>,
): Promise<{ outcome: Outcome } | { first: First; answer: string } | { refused: OnceRefusal | Refusal }> {
  try {
    const first = await claim();
    if (first === 'claimed') return { outcome: await work((text) => cipher?.encrypt(text, owner)) };
    if ('refused' in first) return first;
    if (first.digest !== digest) return { refused: 'reused' };
    if (first.answer === null) return { refused: 'in_progress' };
    const answer = cipher?.decrypt(first.answer, owner);
    return answer === undefined ? { refused: 'unreadable' } : { first, answer };
  } finally {
    release?.();
  }
}
