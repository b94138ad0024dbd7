import type { Rail, RailResult, ReportRailResult } from '../../../src/service/rail/rail.ts';
import type { Prompt } from '../oracle/session.ts';

/** How a prompt ended, in the rail's own book: once, or anew where money comes after the end. */
export type End = {
  outcome: RailResult['outcome'];
  at: number;
  chargedMinor: number;
  /** From when on the rail tells of it to whoever asks. */
  knownAt: number;
};

/** A prompt that reached a handset. Amounts are pesewas. */
export type Shown = {
  id: string;
  sessionId: string;
  payer: string;
  amountMinor: number;
  at: number;
  /** Until then its payer may answer. */
  endsAt: number;
  ends: readonly End[];
};

/** What became of one session's push, whatever the service makes of it. */
export type Carried = { isRefused: boolean; shown: readonly Shown[] };

/** The truth to hold the service against: who was asked, what was answered, what was taken. */
export type RailBook = { of(sessionId: string): Carried; all(): Iterable<Shown> };

/** A rail in the simulation, and the payers' phones at it. */
export type RailSide = {
  book: RailBook;
  /** Stands where the service has its rail; a new process of the service is a new call. */
  attach(own: Rail, report: ReportRailResult): Rail;
  /** What the payers do. */
  approve(prompt: Prompt): void;
  decline(prompt: Prompt): void;
  /** Told that something was committed. */
  step(): void;
  /** Results that the service has not taken. */
  owes(): number;
  /** Since when it can be reached; infinity while it cannot. */
  wellSince(): number;
  heal(): void;
};

export const isCharge = ({ outcome }: Pick<End, 'outcome'>) => outcome === 'approved';
