import type { Rail, RailResult, ReportRailResult } from '../../../src/service/rail/rail.ts';
import type { Prompt } from '../oracle/session.ts';

/** How long the service waits for a result: shorter than its default, so that a simulated day has many of them. */
export const longStopMs = 60 * 60_000;

/** The end of a prompt in the rail's records. Late money adds a second one. */
export type End = {
  outcome: RailResult['outcome'];
  at: number;
  chargedMinor: number;
  /** From this time on the rail returns the result to queries. */
  knownAt: number;
};

/** A prompt that reached a phone. Amounts are in pesewas. */
export type Shown = {
  id: string;
  sessionId: string;
  payer: string;
  amountMinor: number;
  at: number;
  /** The payer can answer until this time. */
  endsAt: number;
  ends: readonly End[];
};

/** What the rail did for one session, whatever the service recorded. */
export type RailRecord = { isRefused: boolean; shown: readonly Shown[] };

/** The rail's own records, against which the service is checked. */
export type RailRecords = { of(sessionId: string): RailRecord; all(): Iterable<Shown> };

/** A rail in the simulation, with the payers' phones. */
export type RailSide = {
  records: RailRecords;
  /** Replaces the service's rail. Called for each new process of the service. */
  attach(own: Rail, report: ReportRailResult): Rail;
  /** The answers of payers. */
  approve(prompt: Prompt): void;
  decline(prompt: Prompt): void;
  /** Called after commits. */
  step(): void;
  /** The number of results that the service has not accepted. */
  pendingCount(): number;
  /** The time since which the rail is reachable, or infinity. */
  wellSince(): number;
  heal(): void;
};

export const isCharge = ({ outcome }: Pick<End, 'outcome'>) => outcome === 'approved';
