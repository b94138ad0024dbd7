import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Ending } from '../../shared/ussd.ts';
import { conflict, retryConflict } from '../../sqlite/store.ts';
import type { LastSession } from '../collection/calls/wait-for-phone.ts';
import { type DialogueAnswer, lostAnswer, toAnswer } from './answer-request.ts';
import {
  type DialogueKey,
  maxTurnsBack,
  type SessionHistory,
  type TurnRow,
  type TurnStore,
} from './turn-store.ts';
import type { Channel, DialogueDeps } from './types.ts';

/** The session of a notice. Without a number, it is that of the phone that used the id last. */
type NotedSession = Pick<DialogueKey, 'session'> & Partial<Pick<DialogueKey, 'dialler'>>;

/**
 * Records the aggregator's notice that a session is over. Later inputs change nothing, and a confirmation that was
 * stored before remains valid. An unknown session and a second notice change nothing.
 *
 * @returns the answer to all later inputs of the session.
 * @throws StoreFault when the database fails.
 */
export async function endDialogue(
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

/** A turn of another gateway can be ahead by so much, in milliseconds. */
const otherClocksMs = 5_000;

type LastSessionDeps = {
  turns: Pick<TurnStore, 'lastAnywhere'>;
  clock: { now(): EpochMs };
  /** Returns the time without an input after which the operator has closed a session of the channel. */
  idleMsOf(channel: string): number;
  /** Returns when this process last sent a dialogue's END screen, or a screen of it again. */
  lastLeft(dialogueId: string): EpochMs | undefined;
};

/**
 * Returns the last USSD session of a number, at any merchant and on any channel of the gateway. It is the one of the dialogue that
 * began last: a phone has one session, so that a late end notice of an earlier one does not end it. An earlier one whose screen is the
 * phone's last is open, too. A screen that was sent again counts as shown then. A turn of a clock that was ahead counts as none.
 */
export async function findLastSession(
  { turns, clock, idleMsOf, lastLeft }: LastSessionDeps,
  msisdn: Msisdn,
): Promise<LastSession | undefined> {
  const found = await turns.lastAnywhere(msisdn);
  const oldest = found.at(-1);
  if (!oldest) return undefined;
  const seen = {
    since: found.length < maxTurnsBack ? 0 : oldest.at,
    seq: Math.max(...found.map(({ seq }) => seq)),
  };
  const latest = clock.now() + otherClocksMs;
  const valid = found.filter(({ at }) => at <= latest);
  const lastBegun = Array.from(new Set(valid.toReversed().map(({ dialogueId }) => dialogueId))).at(-1);
  const [newest] = valid;
  if (!newest) return { kind: 'ended', endedAt: 0, seen };
  const shownAt = (turn: { dialogueId: string; at: EpochMs }) =>
    Math.max(turn.at, lastLeft(turn.dialogueId) ?? 0);
  const endedAt = newest.reply === 'continue' ? 0 : Math.max(...valid.map(shownAt));
  const last =
    newest.reply === 'continue' ? newest : valid.find(({ dialogueId }) => dialogueId === lastBegun);
  return last?.reply === 'continue'
    ? { kind: 'open', until: shownAt(last) + idleMsOf(last.channel), endedAt, seen }
    : { kind: 'ended', endedAt, seen };
}
