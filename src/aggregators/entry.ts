import type { Aggregator } from './aggregator.ts';
import type { SimulatedAggregator } from './simulated-aggregator.ts';

/** Everything that the gateway, the demo and the simulated phone need of one aggregator. */
export type AggregatorEntry = {
  readonly aggregator: Aggregator;
  readonly simulated: SimulatedAggregator;
  /** The service code of the aggregator's channel in the demo. Each aggregator has its own. */
  readonly demoCode: string;
  /** The settings of the demo's channel. Required if the aggregator's settings have no complete default. */
  readonly demoSettings?: Readonly<Record<string, unknown>>;
};
