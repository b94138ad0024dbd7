import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

/** The scheme of an `Authorization` header that proves no person, but that its sender has the keys of the configuration. */
const scheme = 'Dialtill-Configuration';

/** The recorded actor of such a request. No account can have this name. */
export const configurationActor = '(configuration)';

/** The tolerated difference of both clocks. It also bounds the use of a copied header of a read. */
const toleranceMs = 5 * 60_000;

/** A request to the staff API. `path` is the whole path, with the query. */
export type ProvenRequest = { method: string; path: string; body: string };

/**
 * Returns the header that proves for one request that its sender has the key of the console. Who has it can read the seeds of all
 * one-time passwords, so that it proves as much as any account.
 *
 * @param key `console.secretsKey` of the configuration.
 */
export function createConfigurationProof(key: string, request: ProvenRequest, now: EpochMs): string {
  return `${scheme} t=${now},proof=${getProof(key, request, now).toString('base64url')}`;
}

/** Returns whether a header is a proof of this request, not older than five minutes. */
export function isConfigurationProof(
  header: string | undefined,
  { key, request, now }: { key: string; request: ProvenRequest; now: EpochMs },
): boolean {
  const read = readProof(header, now);
  return read !== undefined && timingSafeEqual(read.proof, getProof(key, request, read.at));
}

/** Returns whether a header has the form and the time of a proof. Only the body shows whether it is one. */
export function mayBeConfigurationProof(header: string | undefined, now: EpochMs): boolean {
  return readProof(header, now) !== undefined;
}

/** Returns what identifies a proof, however its header is spelled. */
export function getProofId(header: string | undefined): string | undefined {
  return parseProof(header)?.proof.toString('base64url');
}

function readProof(header: string | undefined, now: EpochMs): { at: EpochMs; proof: Buffer } | undefined {
  const read = parseProof(header);
  return read === undefined || Math.abs(now - read.at) > toleranceMs ? undefined : read;
}

function parseProof(header: string | undefined): { at: EpochMs; proof: Buffer } | undefined {
  const [, time, proof] = new RegExp(`^${scheme} t=(\\d{1,15}),proof=([\\w-]{43})$`).exec(header ?? '') ?? [];
  return proof === undefined ? undefined : { at: Number(time), proof: Buffer.from(proof, 'base64url') };
}

function getProof(key: string, { method, path, body }: ProvenRequest, at: EpochMs): Buffer {
  const digest = createHash('sha256').update(body).digest('hex');
  // A key of its own: the key of the configuration encrypts.
  const own = createHmac('sha256', Buffer.from(key, 'base64'))
    .update('dialtill configuration proof')
    .digest();
  return createHmac('sha256', own).update([at, method, path, digest].join('\n')).digest();
}
