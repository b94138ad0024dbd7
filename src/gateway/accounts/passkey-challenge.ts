import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Write } from '../../sqlite/store.ts';
import { passkeyWrites } from './passkey-store.ts';

/** The time for which a challenge is accepted. */
const challengeMs = 5 * 60_000;

/** The end of a challenge at every gateway, also when their clocks differ. */
const keptMs = 4 * challengeMs;

/** The purpose of a challenge. One of a session is accepted in this session alone. */
export type ChallengePurpose = 'sign_in' | `confirm:${string}` | `add:${string}`;

/** Creates and reads the challenges that passkeys sign. */
export type PasskeyChallenges = {
  create(purpose: ChallengePurpose): string;
  /**
   * Returns whether a challenge was created for a purpose and has not ended. It does not state whether it was used: the writes
   * of `use` do.
   */
  isValid(challenge: string, purpose: ChallengePurpose): boolean;
  /** Returns the writes that use a challenge up. They lose when another request has used it. */
  use(challenge: string): Write[];
};

const timeBytes = 8;
const randomBytes = 16;

/**
 * Creates the challenges of a gateway. A challenge carries its time and a signature, so that strangers who load the sign-in page
 * fill no table, and every gateway of a database accepts it. The database has those that were used, until they end.
 */
export function createPasskeyChallenges(
  secretsKey: string,
  { clock, ids }: { clock: Pick<Clock, 'now'>; ids: Pick<Ids, 'secret'> },
): PasskeyChallenges {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretsKey, 'base64'), '', 'passkey challenge', 32));
  const sign = (content: Buffer, purpose: ChallengePurpose) =>
    createHmac('sha256', key).update(content).update(purpose).digest();
  return {
    create(purpose) {
      const time = Buffer.alloc(timeBytes);
      time.writeBigUInt64BE(BigInt(clock.now()));
      const random = Buffer.from(ids.secret(), 'base64url').subarray(0, randomBytes);
      const content = Buffer.concat([time, random]);
      return Buffer.concat([content, sign(content, purpose)]).toString('base64url');
    },
    isValid(challenge, purpose) {
      const bytes = Buffer.from(challenge, 'base64url');
      const content = bytes.subarray(0, timeBytes + randomBytes);
      const given = bytes.subarray(timeBytes + randomBytes);
      const expected = sign(content, purpose);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
      // The clock of another gateway may be ahead.
      return Math.abs(clock.now() - Number(content.readBigUInt64BE(0))) < challengeMs;
    },
    use(challenge) {
      const now = clock.now();
      const digest = createHash('sha256').update(Buffer.from(challenge, 'base64url')).digest('hex');
      return [
        passkeyWrites.forgetChallenges({ before: now - keptMs }),
        passkeyWrites.useChallenge({ digest, at: now }),
      ];
    },
  };
}
