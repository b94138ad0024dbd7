import { hash, timingSafeEqual } from 'node:crypto';

/** The digests of a channel's secrets. */
export type SecretDigests = { readonly current: Buffer; readonly previous: Buffer | undefined };

/** Digests the secrets of a channel once, because each request is compared with them. */
export function digestSecrets(channel: {
  secret: string;
  previousSecret?: string | undefined;
}): SecretDigests {
  const { secret, previousSecret } = channel;
  return {
    current: computeDigest(secret),
    previous: previousSecret === undefined ? undefined : computeDigest(previousSecret),
  };
}

/** Takes the place of a channel that does not exist. */
const decoy = digestSecrets({ secret: '' });

/**
 * Returns which of the channel's secrets a text is. Compares digests, so that the duration reveals neither length nor
 * content, and compares both in every case, also for a channel that does not exist.
 */
export function matchSecret(
  channel: { secrets: SecretDigests } | undefined,
  given: string,
): 'current' | 'previous' | undefined {
  const { current, previous = current } = channel?.secrets ?? decoy;
  const digest = computeDigest(given);
  const isPrevious = timingSafeEqual(digest, previous);
  const isCurrent = timingSafeEqual(digest, current);
  if (channel === undefined) return undefined;
  if (isCurrent) return 'current';
  return isPrevious ? 'previous' : undefined;
}

function computeDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
