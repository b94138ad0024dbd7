import type { Config } from '../../src/gateway/config/schema.ts';
import type { Host } from './machine.ts';
import type { Part } from './scene.ts';
import type { Screen } from './screens.ts';

export type TimelinessDeps = Part & {
  timings: Pick<Config['timings'], 'promptDeadlineMs' | 'promptDelayMs' | 'sessionIdleMs'>;
  /** Returns the screens of a session of a channel, as the aggregator received them. */
  screensOf(session: string): Screen | undefined;
  machine: Pick<Host, 'beganAt' | 'clockSetAt' | 'gateways' | 'hasEndedSince' | 'maxClockErrorMs'>;
};

/** The last turn of a phone. */
export type LastTurn = { reply: 'continue' | 'end'; at: number };

/** A collection whose initiate call leaves. */
export type Sending = {
  id: string;
  network: string;
  session: string;
  /** Other sessions with an end screen that names the collection: it is already waiting. */
  otherSessions: readonly string[];
  /** When the gateway decided to send it. */
  decidedAt: number;
  /** False for a call that is sent again. */
  isFirst: boolean;
  /** The last turn of the payer's phone before the decision. */
  lastTurn: LastTurn | undefined;
};

/** Time within which the gateway learns of a request, and of the end of its reply: longer with a server whose answers take seconds. */
function learnMsOf(has: TimelinessDeps['has']): number {
  if (has('slow_server')) return 20_000;
  return has('distant_server') ? 4_000 : 2_000;
}

/** Time between the claim of a collection and the decision to send, in which another gateway can become its home. */
function claimMsOf(has: TimelinessDeps['has']): number {
  if (has('slow_server')) return 20_000;
  return has('distant_server') ? 3_000 : 300;
}

/** Time within which an aggregator asks again after a broken connection. */
const repeatWithinMs = 3_000;

/** After this time the gateway no longer waits for an end screen. */
const maxPauseMs = 10_000;

/**
 * Checks R8 and S15 with the simulated time, whatever the gateway's clock shows: no prompt after its deadline, and
 * none before the end screen was sent.
 */
export function createTimeliness({ scheduler, has, count, violate, ...deps }: TimelinessDeps) {
  const { timings, screensOf, machine } = deps;
  const { now } = scheduler;
  /** The time at which each collection was first seen on disk. */
  const seenAt = new Map<string, number>();
  const learnMs = learnMsOf(has);
  const claimMs = claimMsOf(has);
  const clockIsOdd = has('clock_skew') || has('clock_jumps');

  function late(id: string): void {
    const at = seenAt.get(id);
    if (at === undefined) return;
    // With a wrong clock a new process cannot measure how long the old one was down.
    if (clockIsOdd && machine.beganAt() >= at) return;
    const age = now() - at;
    if (age >= timings.promptDeadlineMs) violate('R8', `${id} is initiated ${age} ms after its confirmation`);
  }

  /** The prompt delay, less the error of the clock that measures it. */
  function delayOf(network: string): number {
    const delays: Readonly<Record<string, number>> = timings.promptDelayMs;
    return (delays[network] ?? Math.min(...Object.values(delays))) - machine.maxClockErrorMs;
  }

  /**
   * Returns whether the gateway that prompts knows of an end screen. One gateway knows of all. Of several gateways, the last
   * one that sends an end screen prompts, and knows of its own replies alone.
   */
  function isOfHome({ session, otherSessions }: Sending, { endsAt }: { endsAt?: number }): boolean {
    if (machine.gateways === 1) return true;
    if (endsAt === undefined) return false;
    const all = [session, ...otherSessions].flatMap((one) => {
      const { ends = [], broken = [], waiting = [] } = screensOf(one) ?? {};
      return [...ends, ...broken, ...waiting];
    });
    const others = all.filter((one) => one.endsAt !== endsAt);
    const isAlone = others.length === all.length - 1;
    return isAlone && others.every((one) => one.endsAt !== undefined && one.endsAt + claimMs <= endsAt);
  }

  /** The delay counts from each end screen that arrived, also from a repeated one. */
  function earlyAfterRepeat(sending: Sending): void {
    const { id, network, session, decidedAt } = sending;
    const delayMs = delayOf(network);
    for (const screen of screensOf(session)?.ends ?? []) {
      const { since, at } = screen;
      const isKnown =
        machine.gateways > 1 ? at + claimMs <= decidedAt : since + learnMs <= decidedAt && at <= now();
      if (!isOfHome(sending, screen)) continue;
      // With a process, its replies end, and what it knew of them.
      if (!isKnown || machine.hasEndedSince(since) || machine.clockSetAt() >= since) continue;
      count('end screens before a prompt');
      if (decidedAt - at < delayMs)
        violate('S15', `${id} is decided ${decidedAt - at} ms after an end screen, instead of ${delayMs}`);
    }
  }

  /** After a broken connection, no prompt is sent before the aggregator could ask again. */
  function beforeRepeat({ id, network, session, decidedAt }: Sending): void {
    const { broken = [], ends = [] } = screensOf(session) ?? {};
    for (const { since, at, endsAt } of broken) {
      const isKnown = since + learnMs <= decidedAt && at <= decidedAt && ends.every((one) => one.at < at);
      if (!isKnown || machine.hasEndedSince(since) || machine.clockSetAt() >= since) continue;
      // From then on another gateway may prompt for the home, and does not know of the connection.
      if (machine.gateways > 1 && decidedAt - endsAt >= maxPauseMs) continue;
      // With a copy of the request, each gateway knows of its own reply alone.
      if (machine.gateways > 1 && broken.length + ends.length > 1) continue;
      count('broken end screens before a prompt');
      if (decidedAt - at < repeatWithinMs + delayOf(network))
        violate('S15', `${id} is decided ${decidedAt - at} ms after the connection of its end screen broke`);
    }
  }

  /** No prompt interrupts a dialogue of its payer, and the delay counts from the end of that dialogue. */
  function duringDialogue({ id, network, decidedAt, lastTurn }: Sending): void {
    if (!lastTurn || machine.clockSetAt() >= lastTurn.at) return;
    const elapsed = decidedAt - lastTurn.at;
    // Another gateway can have been writing an END turn when this one read the last turn.
    if (elapsed < learnMs && (lastTurn.reply === 'continue' || machine.gateways > 1)) return;
    const requiredMs =
      lastTurn.reply === 'continue' ? timings.sessionIdleMs - machine.maxClockErrorMs : delayOf(network);
    count(`prompts after a ${lastTurn.reply} screen`);
    if (elapsed < requiredMs)
      violate('S15', `${id} is decided ${elapsed} ms after a ${lastTurn.reply} screen of its payer`);
  }

  /** Whether the gateway still waits for this screen. It does not wait for one that takes longer, or that a lost process sent. */
  function isOnItsWay({ since }: { since: number }): boolean {
    return now() - since < maxPauseMs && !machine.hasEndedSince(since);
  }

  /** No prompt is sent while the end screen of a repeated request is on its way, also when another gateway sends it. */
  function duringRepeat(sending: Sending): void {
    const { id, session, decidedAt } = sending;
    const { ends = [], broken = [], waiting = [] } = screensOf(session) ?? {};
    if (ends.length + broken.length + waiting.length > 1) count('prompts after a repeated end screen');
    for (const screen of screensOf(session)?.waiting ?? []) {
      const isKnown = screen.endsAt !== undefined && screen.endsAt + claimMs <= decidedAt;
      if (isKnown && isOfHome(sending, screen) && isOnItsWay(screen))
        violate(
          'S15',
          `${id} is decided ${decidedAt - screen.since} ms after a request whose end screen is on its way`,
        );
    }
  }

  function early(sending: Sending): void {
    const { id, network, session, decidedAt } = sending;
    const screen = screensOf(session);
    if (!screen) return;
    const { waiting, endedAt, broken, ends } = screen;
    if (endedAt === undefined) {
      // A copy of the request can wait at another gateway, which is not the home before it has answered.
      if (machine.gateways > 1 && broken.length > 0) return;
      if (waiting.some(isOnItsWay)) violate('S15', `${id} is initiated before its end screen was sent`);
      return;
    }
    // Another gateway can have answered a copy of the request while the home was already about to decide.
    const isOfCopy = waiting.length + broken.length + ends.length > 1;
    if (machine.gateways > 1 && isOfCopy && decidedAt - (ends[0]?.endsAt ?? 0) < claimMs) return;
    // The gateway that answered a copy last prompts, and does not know how slowly the reply of another one arrives.
    if (ends[0] && !isOfHome(sending, ends[0])) return;
    // A new process does not have the send times of the old one, and a clock change alters the delay.
    if (machine.hasEndedSince(ends[0]?.since ?? endedAt) || machine.clockSetAt() >= endedAt) return;
    count('prompts after END');
    const delayMs = delayOf(network);
    if (now() - endedAt < delayMs)
      violate('S15', `${id} is initiated ${now() - endedAt} ms after its end screen, instead of ${delayMs}`);
  }

  return {
    /** Records that a collection is on disk. */
    saw(id: string): void {
      if (!seenAt.has(id)) seenAt.set(id, now());
    },
    /** Checks an initiate call that leaves. */
    onInitiate(sending: Sending): void {
      late(sending.id);
      early(sending);
      if (!sending.isFirst || clockIsOdd) return;
      duringRepeat(sending);
      earlyAfterRepeat(sending);
      beforeRepeat(sending);
      duringDialogue(sending);
    },
  };
}

export type Timeliness = ReturnType<typeof createTimeliness>;
