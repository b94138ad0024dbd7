import type { EpochMs } from '../../../shared/clock.ts';

/** One request between the gateway and the service, with its answer. It has no key of a merchant and no whole signature. */
export type ServiceExchange = {
  /** Seen from the gateway. */
  direction: 'sent' | 'received';
  /** When the request began, by the clock of the network. */
  at: EpochMs;
  ms: number;
  method: 'GET' | 'POST';
  path: string;
  /** The headers that tell requests apart, such as `idempotency-key: init_01m8`. */
  headers: readonly string[];
  body: string;
  answer: { status: number; body: string } | { fault: string };
};

/** Receives exchanges with the service, for development. It must not throw. */
export type OnServiceExchange = (exchange: ServiceExchange) => void;
