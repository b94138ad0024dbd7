import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { DatabaseOptions } from '../ledger/types.ts';

export type SessionsDeps = {
  stdout: Output;
  noColor: boolean;
  clock: Clock;
  /** Resolves when the command must end. */
  ended(): Promise<unknown>;
  database(options: DatabaseOptions): DatabaseLocation;
};

export type SessionOptions = DatabaseOptions & { json?: boolean; full?: boolean };
export type FindSessionsOptions = SessionOptions & { limit: number; after?: string; unconfirmed?: boolean };
export type TailOptions = SessionOptions & { last: number };
