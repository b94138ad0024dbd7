import { africastalking, hellio } from './africastalking/dialect.ts';
import { simulatedAfricastalking, simulatedHellio } from './africastalking/simulated.ts';
import type { Aggregator } from './aggregator.ts';
import { arkesel } from './arkesel/dialect.ts';
import { simulatedArkesel } from './arkesel/simulated.ts';
import { beem } from './beem/dialect.ts';
import { simulatedBeem } from './beem/simulated.ts';
import { emergent } from './emergent/dialect.ts';
import { simulatedEmergent } from './emergent/simulated.ts';
import { generic } from './generic/dialect.ts';
import { simulatedGeneric } from './generic/simulated.ts';
import { hubtel } from './hubtel/dialect.ts';
import { simulatedHubtel } from './hubtel/simulated.ts';
import { infobip } from './infobip/dialect.ts';
import { simulatedInfobip } from './infobip/simulated.ts';
import { kairos } from './kairos/dialect.ts';
import { simulatedKairos } from './kairos/simulated.ts';
import { mnotify } from './mnotify/dialect.ts';
import { simulatedMnotify } from './mnotify/simulated.ts';
import { moolre } from './moolre/dialect.ts';
import { simulatedMoolre } from './moolre/simulated.ts';
import { mtnMadapi } from './mtn-madapi/dialect.ts';
import { simulatedMtnMadapi } from './mtn-madapi/simulated.ts';
import { nalo } from './nalo/dialect.ts';
import { simulatedNalo } from './nalo/simulated.ts';
import { nsano } from './nsano/dialect.ts';
import { simulatedNsano } from './nsano/simulated.ts';
import { orchard } from './orchard/dialect.ts';
import { simulatedOrchard } from './orchard/simulated.ts';
import { sendexa } from './sendexa/dialect.ts';
import { simulatedSendexa } from './sendexa/simulated.ts';
import type { SimulatedAggregator } from './simulated-aggregator.ts';
import { korba, txtghana, uzo } from './smpp-like/dialect.ts';
import { simulatedKorba, simulatedTxtghana, simulatedUzo } from './smpp-like/simulated.ts';
import { southpawsl } from './southpawsl/dialect.ts';
import { simulatedSouthpawsl } from './southpawsl/simulated.ts';
import { wigalV1, wigalV2 } from './wigal/dialect.ts';
import { simulatedWigalV1, simulatedWigalV2 } from './wigal/simulated.ts';

/** Everything that the gateway, the demo and the simulated phone need of one aggregator. */
type AggregatorEntry = {
  readonly aggregator: Aggregator;
  readonly simulated: SimulatedAggregator;
  /** The service code of the aggregator's channel in the demo. Each aggregator has its own. */
  readonly demoCode: string;
  /** The settings of the demo's channel. Required if the aggregator's settings have no complete default. */
  readonly demoSettings?: Readonly<Record<string, unknown>>;
};

/** An invented aggregator, described as a merchant would describe a real one. */
const voltaGate = {
  request: {
    session: 'dialog',
    number: 'subscriber.number',
    operator: 'subscriber.carrier',
    operators: { M: 'mtn', T: 'telecel', A: 'at', G: 'glo' },
    input: 'keyed',
    first: { field: 'event', is: 'OPEN' },
    ended: { field: 'event', is: { HANGUP: 'cancelled', EXPIRED: 'timeout' } },
  },
  reply: {
    continue: { dialog: '{dialog}', screen: { text: '{text}', wait: true } },
    end: { dialog: '{dialog}', screen: { text: '{text}', wait: false } },
    notice: { dialog: '{dialog}' },
  },
};

/** Every supported aggregator, in the order of documents and lists. `generic` is last. */
const entries: readonly AggregatorEntry[] = [
  { aggregator: africastalking, simulated: simulatedAfricastalking, demoCode: '*713*5#' },
  { aggregator: hubtel, simulated: simulatedHubtel, demoCode: '*711*5#' },
  { aggregator: nalo, simulated: simulatedNalo, demoCode: '*920*5#' },
  { aggregator: arkesel, simulated: simulatedArkesel, demoCode: '*928*5#' },
  { aggregator: moolre, simulated: simulatedMoolre, demoCode: '*203*5#' },
  { aggregator: wigalV1, simulated: simulatedWigalV1, demoCode: '*718*5#' },
  { aggregator: wigalV2, simulated: simulatedWigalV2, demoCode: '*718*6#' },
  { aggregator: txtghana, simulated: simulatedTxtghana, demoCode: '*789*5#' },
  { aggregator: korba, simulated: simulatedKorba, demoCode: '*395*5#' },
  { aggregator: uzo, simulated: simulatedUzo, demoCode: '*844*5#' },
  { aggregator: emergent, simulated: simulatedEmergent, demoCode: '*714*5#' },
  { aggregator: nsano, simulated: simulatedNsano, demoCode: '*447*5#' },
  { aggregator: orchard, simulated: simulatedOrchard, demoCode: '*380*5#' },
  { aggregator: southpawsl, simulated: simulatedSouthpawsl, demoCode: '*755*5#' },
  { aggregator: beem, simulated: simulatedBeem, demoCode: '*149*5#' },
  { aggregator: infobip, simulated: simulatedInfobip, demoCode: '*800*5#' },
  { aggregator: sendexa, simulated: simulatedSendexa, demoCode: '*123*5#' },
  { aggregator: kairos, simulated: simulatedKairos, demoCode: '*889*5#' },
  { aggregator: hellio, simulated: simulatedHellio, demoCode: '*384*5#' },
  { aggregator: mtnMadapi, simulated: simulatedMtnMadapi, demoCode: '*1234*5#' },
  { aggregator: mnotify, simulated: simulatedMnotify, demoCode: '*899*5#' },
  { aggregator: generic, simulated: simulatedGeneric, demoCode: '*700*5#', demoSettings: voltaGate },
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
