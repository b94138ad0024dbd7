import type { Ending } from '../../shared/ussd.ts';
import { conflict, retryConflict } from '../../sqlite/retry-conflict.ts';
import { type DialogueAnswer, lostAnswer, toAnswer } from './answer-request.ts';
import type { SessionHistory, SessionKey, TurnRow } from './turn-store.ts';
import type { Channel, DialogueDeps } from './types.ts';

/** The session of a notice. Without a number, it is that of the phone that used the id last. */
type NotedSession = Pick<SessionKey, 'session'> & Partial<Pick<SessionKey, 'dialler'>>;

/**
 * Records the aggregator's notice that a session is over. Later inputs change nothing, and a confirmation that was
 * stored before remains valid. An unknown session and a second notice change nothing.
 *
 * @returns the answer to all later inputs of the session.
 * @throws StoreFault when the database fails.
 */
export async function endSession(
  { turns, clock }: Pick<DialogueDeps, 'turns' | 'clock'>,
  channel: Channel,
  session: NotedSession,
  ending: Ending,
): Promise<DialogueAnswer> {
  return retryConflict(`a session of channel ${channel.id}`, async () => {
    const last = await readLast(turns, channel, session);
    if (!last) return lostAnswer(channel, last);
    if (last.ending !== null) return toAnswer(last);
    const screen = last.reply === 'end' ? last.screen : lostAnswer(channel, last).reply.text;
    const row: TurnRow = {
      ...last,
      sequence: last.sequence + 1,
      input: null,
      // Without a position, a repeated request still finds the turn that answered it.
      position: null,
      reply: 'end',
      screen,
      ending,
      at: Math.max(clock.now(), last.at),
    };
    return (await turns.write(row)) ? toAnswer(row) : conflict;
  });
}

/** True while the session's last screen waits for an input. */
export async function isSessionAlive(
  { turns, clock, settings }: Pick<DialogueDeps, 'turns' | 'clock' | 'settings'>,
  channel: Channel,
  session: NotedSession,
): Promise<boolean> {
  const last = await readLast(turns, channel, session);
  return last?.reply === 'continue' && clock.now() - last.at <= settings.dialogueLifetimeMs;
}

async function readLast(
  turns: DialogueDeps['turns'],
  { id: channel }: Channel,
  { session, dialler }: NotedSession,
): Promise<SessionHistory['last']> {
  const user = dialler ?? (await turns.lastDialler({ channel, session }));
  return user && (await turns.history({ channel, session, dialler: user })).last;
}
