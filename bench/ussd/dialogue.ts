import { demoChannels } from '../../src/aggregators/registry.ts';
import type { Dial, SimulatedAggregator, WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import type { Server } from './start-server.ts';

/** One aggregator's dialect as one server speaks it. */
export type Lane = {
  name: string;
  server: Server;
  channel: string;
  simulated: SimulatedAggregator;
  read: SimulatedAggregator['read'];
};

/** The requests of one dialogue, created before the measurement. */
export type Dialogue = { dial: Dial; amount: string; requests: readonly WireRequest[] };
export type Answer = { contentType: string; body: string };

/** Dial, choose, amount, cancel. */
export const turnsOfDialogue = 4;

const ids = systemIds(systemClock());
let payers = 0;

/** Creates a dialogue of a new payer. Amounts differ, so that mixed sessions are detected. */
export function newDialogue({ channel, simulated }: Pick<Lane, 'channel' | 'simulated'>): Dialogue {
  const of = demoChannels.find(({ id }) => id === channel);
  const amount = String(10 + (payers % 90));
  const msisdn = parseMsisdn(`024${String(payers++).padStart(7, '0')}`);
  if (!of || !msisdn) throw new Error(`no phone for ${channel}`);
  const { serviceCode, settings } = of;
  const operator = operatorByPrefix(msisdn);
  const dial = { session: ids.next('ussd'), msisdn, operator, serviceCode, dialled: serviceCode, settings };
  // Consecutive inputs differ: some channels would take an equal one within two seconds for a repeat.
  const inputs = ['1', amount, '2'];
  const requests = Array.from({ length: turnsOfDialogue }, (_, typed) =>
    simulated.request(dial, inputs.slice(0, typed)),
  );
  return { dial, amount, requests };
}

/** Parses every screen of a dialogue as the aggregator would. @throws Error when one is not the expected screen. */
export function expectScreens(
  { name, read }: Pick<Lane, 'name' | 'read'>,
  { dial, amount }: Dialogue,
  answers: readonly Answer[],
): void {
  answers.forEach(({ contentType, body }, at) => {
    const screen = read(contentType, body, dial);
    const kind = at === turnsOfDialogue - 1 ? 'end' : 'continue';
    const holds = at === 2 ? `${amount}.00` : '';
    if (screen?.kind !== kind || !screen.text.includes(holds)) {
      throw new Error(`${name}: turn ${at + 1} was answered with ${contentType} ${body}`);
    }
  });
}
