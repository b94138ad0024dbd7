import { z } from 'zod';
import { tryParseJson } from '../../../shared/json.ts';

const minPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Returns how long a 429 pauses a merchant's calls: the requested time, between 1 and 60 seconds. */
export function pauseDurationMs(retryAfterMs: number | undefined): number {
  return Math.min(maxPauseMs, Math.max(minPauseMs, retryAfterMs ?? minPauseMs));
}

/** A merchant whose calls the service limits, and for how long. */
export type Pause = { merchantId: string; ms: number };

const pauseMessage = z.object({
  merchantId: z.string(),
  ms: z.number().int().min(0).max(maxPauseMs),
  by: z.string(),
});

/** Reads a pause that a gateway `by` reports; `undefined` for a text that is none: any program of the database can send one. */
export function readPause(text: string): (Pause & { by: string }) | undefined {
  return pauseMessage.safeParse(tryParseJson(text)).data;
}

/** The gateways that use one database, as one of them sees them. */
export type Members = {
  /** The name of this process; null on a file, which one process writes. */
  readonly name: string | null;
  /** Returns how many gateways use the database, this one included. */
  count(): number;
  /**
   * Runs `work` while no other gateway starts. `isAlone` is true when no other one is connected. On a server, one that has lost
   * its connections for a moment may still run.
   *
   * @throws when the database is away.
   */
  startAlone(work: (isAlone: boolean) => Promise<void>): Promise<void>;
  /** Runs `work`, unless another gateway runs work of this name or the database is away; returns `undefined` then. */
  runAlone<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Reports a pause of calls to the other gateways. */
  announcePause(pause: Pause): void;
  /** Calls `listener` with each pause that another gateway reports. */
  onPause(listener: (pause: Pause) => void): void;
};

/** The process that writes a file, and no other one does. */
export const onlyMember: Members = {
  name: null,
  count: () => 1,
  startAlone: (work) => work(true),
  runAlone: (_name, work) => work(),
  announcePause() {},
  onPause() {},
};
