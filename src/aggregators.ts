import type { Wire } from './handset/wire.ts';
import { africastalking as africastalkingWire } from './handset/wires/africastalking.ts';
import { arkesel as arkeselWire } from './handset/wires/arkesel.ts';
import { beem as beemWire } from './handset/wires/beem.ts';
import { emergent as emergentWire } from './handset/wires/emergent.ts';
import { generic as genericWire } from './handset/wires/generic.ts';
import { hellio as hellioWire } from './handset/wires/hellio.ts';
import { hubtel as hubtelWire } from './handset/wires/hubtel.ts';
import { infobip as infobipWire } from './handset/wires/infobip.ts';
import { kairos as kairosWire } from './handset/wires/kairos.ts';
import { korba as korbaWire } from './handset/wires/korba.ts';
import { moolre as moolreWire } from './handset/wires/moolre.ts';
import { mtnMadapi as mtnMadapiWire } from './handset/wires/mtn-madapi.ts';
import { nalo as naloWire } from './handset/wires/nalo.ts';
import { nsano as nsanoWire } from './handset/wires/nsano.ts';
import { orchard as orchardWire } from './handset/wires/orchard.ts';
import { sendexa as sendexaWire } from './handset/wires/sendexa.ts';
import { southpawsl as southpawslWire } from './handset/wires/southpawsl.ts';
import { txtghana as txtghanaWire } from './handset/wires/txtghana.ts';
import { uzo as uzoWire } from './handset/wires/uzo.ts';
import { wigalV1 as wigalV1Wire } from './handset/wires/wigal-v1.ts';
import { wigalV2 as wigalV2Wire } from './handset/wires/wigal-v2.ts';
import type { Aggregator } from './ussd/aggregator.ts';
import { africastalking } from './ussd/aggregators/africastalking.ts';
import { arkesel } from './ussd/aggregators/arkesel.ts';
import { beem } from './ussd/aggregators/beem.ts';
import { emergent } from './ussd/aggregators/emergent.ts';
import { generic } from './ussd/aggregators/generic.ts';
import { hellio } from './ussd/aggregators/hellio.ts';
import { hubtel } from './ussd/aggregators/hubtel.ts';
import { infobip } from './ussd/aggregators/infobip.ts';
import { kairos } from './ussd/aggregators/kairos.ts';
import { korba } from './ussd/aggregators/korba.ts';
import { moolre } from './ussd/aggregators/moolre.ts';
import { mtnMadapi } from './ussd/aggregators/mtn-madapi.ts';
import { nalo } from './ussd/aggregators/nalo.ts';
import { nsano } from './ussd/aggregators/nsano.ts';
import { orchard } from './ussd/aggregators/orchard.ts';
import { sendexa } from './ussd/aggregators/sendexa.ts';
import { southpawsl } from './ussd/aggregators/southpawsl.ts';
import { txtghana } from './ussd/aggregators/txtghana.ts';
import { uzo } from './ussd/aggregators/uzo.ts';
import { wigalV1 } from './ussd/aggregators/wigal-v1.ts';
import { wigalV2 } from './ussd/aggregators/wigal-v2.ts';

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
