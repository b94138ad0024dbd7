import { africastalking } from './africastalking/dialect.ts';
import { africastalking as africastalkingWire } from './africastalking/simulated.ts';
import type { Aggregator } from './aggregator.ts';
import { arkesel } from './arkesel/dialect.ts';
import { arkesel as arkeselWire } from './arkesel/simulated.ts';
import { beem } from './beem/dialect.ts';
import { beem as beemWire } from './beem/simulated.ts';
import { emergent } from './emergent/dialect.ts';
import { emergent as emergentWire } from './emergent/simulated.ts';
import { generic } from './generic/dialect.ts';
import { generic as genericWire } from './generic/simulated.ts';
import { hellio } from './hellio/dialect.ts';
import { hellio as hellioWire } from './hellio/simulated.ts';
import { hubtel } from './hubtel/dialect.ts';
import { hubtel as hubtelWire } from './hubtel/simulated.ts';
import { infobip } from './infobip/dialect.ts';
import { infobip as infobipWire } from './infobip/simulated.ts';
import { kairos } from './kairos/dialect.ts';
import { kairos as kairosWire } from './kairos/simulated.ts';
import { korba } from './korba/dialect.ts';
import { korba as korbaWire } from './korba/simulated.ts';
import { moolre } from './moolre/dialect.ts';
import { moolre as moolreWire } from './moolre/simulated.ts';
import { mtnMadapi } from './mtn-madapi/dialect.ts';
import { mtnMadapi as mtnMadapiWire } from './mtn-madapi/simulated.ts';
import { nalo } from './nalo/dialect.ts';
import { nalo as naloWire } from './nalo/simulated.ts';
import { nsano } from './nsano/dialect.ts';
import { nsano as nsanoWire } from './nsano/simulated.ts';
import { orchard } from './orchard/dialect.ts';
import { orchard as orchardWire } from './orchard/simulated.ts';
import { sendexa } from './sendexa/dialect.ts';
import { sendexa as sendexaWire } from './sendexa/simulated.ts';
import type { Wire } from './simulated.ts';
import { southpawsl } from './southpawsl/dialect.ts';
import { southpawsl as southpawslWire } from './southpawsl/simulated.ts';
import { txtghana } from './txtghana/dialect.ts';
import { txtghana as txtghanaWire } from './txtghana/simulated.ts';
import { uzo } from './uzo/dialect.ts';
import { uzo as uzoWire } from './uzo/simulated.ts';
import { wigalV1 } from './wigal-v1/dialect.ts';
import { wigalV1 as wigalV1Wire } from './wigal-v1/simulated.ts';
import { wigalV2 } from './wigal-v2/dialect.ts';
import { wigalV2 as wigalV2Wire } from './wigal-v2/simulated.ts';

/** One aggregator that ships: its dialect, the simulated phone behind it, and the code by which the demo reaches it. */
type Shipped = {
  aggregator: Aggregator;
  wire: Wire;
  demoCode: string;
  /** Where the aggregator's settings have no complete default. */
  demoSettings?: Readonly<Record<string, unknown>>;
};

/** An aggregator that was made up, by the description that a merchant would write of it. */
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

/** Everything that ships, one line each; everything else follows from it, in this order. */
const shipped: readonly Shipped[] = [
  { aggregator: africastalking, wire: africastalkingWire, demoCode: '*713*5#' },
  { aggregator: hubtel, wire: hubtelWire, demoCode: '*711*5#' },
  { aggregator: nalo, wire: naloWire, demoCode: '*920*5#' },
  { aggregator: arkesel, wire: arkeselWire, demoCode: '*928*5#' },
  { aggregator: moolre, wire: moolreWire, demoCode: '*203*5#' },
  { aggregator: wigalV1, wire: wigalV1Wire, demoCode: '*718*5#' },
  { aggregator: wigalV2, wire: wigalV2Wire, demoCode: '*718*6#' },
  { aggregator: txtghana, wire: txtghanaWire, demoCode: '*789*5#' },
  { aggregator: korba, wire: korbaWire, demoCode: '*395*5#' },
  { aggregator: uzo, wire: uzoWire, demoCode: '*844*5#' },
  { aggregator: emergent, wire: emergentWire, demoCode: '*714*5#' },
  { aggregator: nsano, wire: nsanoWire, demoCode: '*447*5#' },
  { aggregator: orchard, wire: orchardWire, demoCode: '*380*5#' },
  { aggregator: southpawsl, wire: southpawslWire, demoCode: '*755*5#' },
  { aggregator: beem, wire: beemWire, demoCode: '*149*5#' },
  { aggregator: infobip, wire: infobipWire, demoCode: '*800*5#' },
  { aggregator: sendexa, wire: sendexaWire, demoCode: '*123*5#' },
  { aggregator: kairos, wire: kairosWire, demoCode: '*889*5#' },
  { aggregator: hellio, wire: hellioWire, demoCode: '*384*5#' },
  { aggregator: mtnMadapi, wire: mtnMadapiWire, demoCode: '*1234*5#' },
  { aggregator: generic, wire: genericWire, demoCode: '*700*5#', demoSettings: voltaGate },
];

/** Every dialect that the gateway speaks, by the name that a channel's configuration uses. */
export const aggregators: Readonly<Record<string, Aggregator>> = Object.fromEntries(
  shipped.map(({ aggregator }) => [aggregator.name, aggregator]),
);

export const aggregatorNames: readonly string[] = shipped.map(({ aggregator }) => aggregator.name);

/** The aggregators that the simulated phone can stand behind, by the same names. */
export const wires: Readonly<Record<string, Wire>> = Object.fromEntries(
  shipped.map(({ aggregator, wire }) => [aggregator.name, wire]),
);

/** One channel of the demo for each aggregator, all to the same merchant. */
export type DemoChannel = {
  readonly id: string;
  readonly aggregator: string;
  readonly serviceCode: string;
  /** The channel's settings for its aggregator. */
  readonly settings?: Readonly<Record<string, unknown>>;
};

export const demoChannels: readonly DemoChannel[] = shipped.map(({ aggregator, demoCode, demoSettings }) => ({
  id: aggregator.name,
  aggregator: aggregator.name,
  serviceCode: demoCode,
  ...(demoSettings && { settings: demoSettings }),
}));
