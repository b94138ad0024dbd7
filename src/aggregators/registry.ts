import { africastalking, hellio } from './africastalking/africastalking.ts';
import type { Aggregator, AggregatorEntry } from './aggregator.ts';
import { arkesel } from './arkesel/arkesel.ts';
import { beem } from './beem/beem.ts';
import { generic } from './generic/generic.ts';
import { emergent, hubtel } from './hubtel/hubtel.ts';
import { infobip } from './infobip/infobip.ts';
import { kairos } from './kairos/kairos.ts';
import { mnotify } from './mnotify/mnotify.ts';
import { moolre } from './moolre/moolre.ts';
import { mtnMadapi } from './mtn-madapi/mtn-madapi.ts';
import { nalo } from './nalo/nalo.ts';
import { nsano } from './nsano/nsano.ts';
import { orchard } from './orchard/orchard.ts';
import { sendexa } from './sendexa/sendexa.ts';
import type { SimulatedAggregator } from './simulated-aggregator.ts';
import { korba, txtghana, uzo } from './smpp-like/smpp-like.ts';
import { southpawsl } from './southpawsl/southpawsl.ts';
import { wigalV1, wigalV2 } from './wigal/wigal.ts';

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
