import { createHash, timingSafeEqual } from 'node:crypto';
import type { UssdChannel } from './channel.ts';

type ChannelSecrets = Pick<UssdChannel, 'secret' | 'previousSecret'>;

/** Takes the place of a channel that does not exist. */
const decoy: ChannelSecrets = { secret: '', previousSecret: undefined };

/**
 * Returns whether a text is the channel's secret or its previous one. Compares both in every case, also for a channel
 * that does not exist, so that the duration reveals nothing.
 */
export function isChannelSecret(channel: ChannelSecrets | undefined, given: string): boolean {
  const { secret, previousSecret = secret } = channel ?? decoy;
  const isPrevious = sameSecret(given, previousSecret);
  const isCurrent = sameSecret(given, secret);
  return channel !== undefined && (isCurrent || isPrevious);
}

/** Returns whether a text is the channel's previous secret. */
export function isPreviousSecret({ previousSecret }: ChannelSecrets, given: string): boolean {
  return previousSecret !== undefined && sameSecret(given, previousSecret);
}

/** Compares digests, so that the duration reveals neither length nor content. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
