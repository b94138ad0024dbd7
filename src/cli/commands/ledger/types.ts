import type { ConfiguredSealKeys } from '../../../gateway/config/find-seal-keys.ts';
import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { ExportTime } from '../../../gateway/support/export/export-times.ts';
import type { TranscriptHead } from '../../../gateway/support/transcript/transcript.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import type { ChainFlags, ReadExpectation } from '../../chain.ts';
import type { PageOptions } from '../../command-options.ts';
import type { StaffClient } from '../../staff/staff-client.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { FilterOptions } from './filter-options.ts';

/** The help of a command of the group. */
export type CommandHelp = {
  usage: string;
  description: string;
  examples: readonly string[];
  exitCodes?: string;
};

export type DatabaseOptions = { config?: string; db?: string };

export type LedgerDeps = {
  stdout: Output;
  noColor: boolean;
  /** Returns the database file that the options name, or else the one of the configuration. */
  database(options: DatabaseOptions): DatabaseLocation;
  /** Returns the settings of a channel that a transcript needs; empty when there is no configuration. */
  loadTranscriptHead?(options: DatabaseOptions, channel: string): Promise<TranscriptHead>;
  /** Returns what is known about the hash chain from outside of the file; nothing by default. */
  readExpectation?: ReadExpectation;
  /** Returns the keys of the configuration. */
  sealKeys?(options: DatabaseOptions): ConfiguredSealKeys;
  /** Without it, the group has no command that a running gateway carries out. */
  staffClient?: ConnectStaff;
  /** Returns the current time, from which overdue steps are recognised; the time of the last fact by default. */
  now?(): EpochMs;
  /** Sets the exit code of the command. */
  exit(code: number): void;
};

/** The options of a command that a running gateway carries out. */
export type StaffFlags = { json?: boolean; url?: string; config?: string };

/** Returns the client of the gateway's staff API for the person of the environment. @throws UserError without one. */
export type ConnectStaff = (options: StaffFlags) => Promise<StaffClient>;

/** What the commands that a running gateway carries out use. */
export type CollectionCommandDeps = { stdout: Output; staffClient: ConnectStaff };

export type LedgerOptions = DatabaseOptions & { json?: boolean };

/** Options of a command that prints rows. */
export type RowOptions = LedgerOptions & { full?: boolean };

export type VerifyFlags = LedgerOptions & ChainFlags & { from?: string };
export type SealKeyOptions = LedgerOptions & { new?: boolean };
export type ShowOptions = RowOptions & { asTranscript?: boolean; masked?: boolean };
export type BalancesOptions = LedgerOptions & { day?: string };

export type PagedOptions = RowOptions & PageOptions;
export type ListOptions = PagedOptions & FilterOptions;
export type AuditOptions = PagedOptions &
  Pick<FilterOptions, 'from' | 'to' | 'merchant'> & { actor?: string; action?: string; subject?: string };
export type ExportOptions = DatabaseOptions & FilterOptions & { csv?: boolean; by: ExportTime };
