import { africastalking } from './africastalking/index.ts';
import type { Aggregator } from './aggregator.ts';
import { arkesel } from './arkesel/index.ts';
import { beem } from './beem/index.ts';
import { emergent } from './emergent/index.ts';
import type { AggregatorEntry } from './entry.ts';
import { generic } from './generic/index.ts';
import { hellio } from './hellio/index.ts';
import { hubtel } from './hubtel/index.ts';
import { infobip } from './infobip/index.ts';
import { kairos } from './kairos/index.ts';
import { korba } from './korba/index.ts';
import { mnotify } from './mnotify/index.ts';
import { moolre } from './moolre/index.ts';
import { mtnMadapi } from './mtn-madapi/index.ts';
import { nalo } from './nalo/index.ts';
import { nsano } from './nsano/index.ts';
import { orchard } from './orchard/index.ts';
import { sendexa } from './sendexa/index.ts';
import type { SimulatedAggregator } from './simulated-aggregator.ts';
import { southpawsl } from './southpawsl/index.ts';
import { txtghana } from './txtghana/index.ts';
import { uzo } from './uzo/index.ts';
import { wigalV1 } from './wigal-v1/index.ts';
import { wigalV2 } from './wigal-v2/index.ts';

/** Every supported aggregator, in the order of documents and lists. `generic` is last. */
const entries: readonly AggregatorEntry[] = [
  africastalking,
  hubtel,
  nalo,
  arkesel,
  moolre,
  wigalV1,
  wigalV2,
  txtghana,
  korba,
  uzo,
  emergent,
  nsano,
  orchard,
  southpawsl,
  beem,
  infobip,
  sendexa,
  kairos,
  hellio,
  mtnMadapi,
  mnotify,
  generic,
];

/** The aggregators by the name that a channel's configuration uses. */
export const aggregators: Readonly<Record<string, Aggregator>> = Object.fromEntries(
  entries.map(({ aggregator }) => [aggregator.name, aggregator]),
);

export const aggregatorNames: readonly string[] = entries.map(({ aggregator }) => aggregator.name);

/** The simulated sides of the aggregators, by the same names. */
export const simulatedAggregators: Readonly<Record<string, SimulatedAggregator>> = Object.fromEntries(
  entries.map(({ aggregator, simulated }) => [aggregator.name, simulated]),
);

/** A channel of the demo. */
export type DemoChannel = {
  readonly id: string;
  readonly aggregator: string;
  readonly serviceCode: string;
  /** The channel's settings for its aggregator. */
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** One channel for each aggregator, all of the same merchant. */
export const demoChannels: readonly DemoChannel[] = entries.map(({ aggregator, demoCode, demoSettings }) => ({
  id: aggregator.name,
  aggregator: aggregator.name,
  serviceCode: demoCode,
  ...(demoSettings && { settings: demoSettings }),
}));
