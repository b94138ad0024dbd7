import type { Hono } from 'hono';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Config } from '../config/schema.ts';

/** What further pages of the server use of the gateway. */
export type PageParts = {
  /** The ledger. Pages only read it. */
  store: Store;
  livemode: 0 | 1;
  /** The clock of the network, which does not follow an advanced test clock. */
  clock: Clock;
  ids: Ids;
  /** Returns the present channels, with their secrets. */
  channels(): readonly Config['channels'][number][];
};

/** Pages of the same server, below one path and open to every caller, such as the browser phone. */
export type Pages = {
  /** The first part of their path: `phone`; empty for the page at `/`. */
  area: string;
  app: Hono;
  /** Ends the streams of events, so that a stopping server does not wait for them. */
  close?(): void;
};

export type CreatePages = (parts: PageParts) => Pages;
