import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { type MagicName, magicNames, magicNumbers } from '../../../contract/service/magic-numbers.ts';
import { serviceOperations } from '../../../contract/service/service-operations.ts';
import type { session as sessionSchema } from '../../../contract/service/session.ts';
import type { Tolerant } from '../../../contract/tolerant.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { systemIds } from '../../../shared/ids.ts';
import { RequestRejectedError, type ServiceClient } from '../admin-client.ts';
import { oneOf, parseCedisArgument } from '../arguments.ts';
import { type CommandKit, formatFields, type MerchantOptions, merchantOption } from '../command-kit.ts';
import { connectAsMerchant, createTestSession } from './create-session.ts';

type Session = Tolerant<z.infer<typeof sessionSchema>>;
type Options = MerchantOptions & { amount: number };
type Triggered = { session: Session; events: string[] };

const help = `
Cases:
${magicNumbers.map(({ name, behaviour }) => `  ${name.padEnd(22)} ${behaviour}`).join('\n')}

A case has the name of the reason, of the review or of the error that it causes: docs/reasons-and-statuses.md

A sandbox advances its test clock until the event has happened, by a day for no_result and late_approval. Other services have no
test clock, so the command waits. Set DIALTILL_SERVICE_KEY, or DIALTILL_SERVICE_KEY_FILE, to choose the test key. Without
it, the first use creates a key and stores it in the data folder.`;

/** The steps of the test clock: short ones until an inquiry of the service, then long ones to the long stop. */
const stepsMs = [...Array<number>(14).fill(15_000), ...Array<number>(5).fill(6 * 3_600_000)];
/** Waits for the initiate call, and for a service without a test clock. */
const pollMs = 100;
const maxPolls = 3_000;

export function registerServiceTrigger(
  service: Command,
  kit: CommandKit,
  deps: { env: Environment; clock: Clock },
): void {
  kit
    .command(
      service,
      'trigger',
      'cause an event: create a test session with the payer of a case',
      'trigger paid',
    )
    .argument('<case>', 'one of the names below', oneOf(magicNames))
    .addOption(merchantOption())
    .addOption(
      new Option('--amount <cedis>', 'the value of the goods')
        .argParser(parseCedisArgument)
        .default(2_000, '20'),
    )
    .addHelpText('after', help)
    .action(async (name: MagicName, options: Options) => {
      const api = await connectAsMerchant(kit, options, deps.env);
      if (api.isLive)
        throw new UserError('trigger needs a test key. Unset DIALTILL_SERVICE_KEY to have one created.');
      const triggered = await trigger(api, kit.client(options), deps.clock, {
        name,
        amountMinor: options.amount,
      });
      kit.print(options, triggered, describe);
    });
}

async function trigger(
  api: ServiceClient,
  admin: ServiceClient,
  clock: Clock,
  { name, amountMinor }: { name: MagicName; amountMinor: number },
): Promise<Triggered> {
  const ending = magicNumbers.find((one) => one.name === name)?.ending;
  // Each call has a payer of its own: the prompts to one number are limited.
  const msisdn = `233244${systemIds(clock).digits(3)}${ending}`;
  const { id } = await createTestSession(api, clock, { msisdn, amountMinor });
  const params = { session_id: id };
  let failure: unknown;
  const initiating = api.operate(serviceOperations.initiateSession, { params, body: {} }).catch((fault) => {
    // The answers of the two cases with these names.
    const code = fault instanceof RequestRejectedError ? fault.code : '';
    if (code !== 'rail_refused' && code !== 'rail_unknown') failure = fault;
  });

  const isOver = ({ status, review }: Session) =>
    name === 'late_approval' || name === 'second_charge' || name === 'events_reversed'
      ? review !== undefined
      : review !== undefined || /^(paid|failed|expired)$/.test(status);
  let session: Session = await api.operate(serviceOperations.getSession, { params });
  for (let [polls, steps] = [0, 0]; !isOver(session); polls++) {
    if (failure !== undefined) throw failure;
    const stepMs = stepsMs[steps];
    if (polls === maxPolls || stepMs === undefined) throw new UserError(`${id} is still ${session.status}.`);
    if (session.status !== 'created' && (await advance(admin, stepMs))) steps++;
    else await clock.sleep(pollMs);
    session = await api.operate(serviceOperations.getSession, { params });
  }
  await initiating;
  const events = await api.operate(serviceOperations.listEvents, { query: { session_id: id } });
  return { session, events: events.data.map(({ type, id }) => `${type} ${id}`) };
}

/** Returns false if the service has no test clock. */
async function advance(admin: ServiceClient, ms: number): Promise<boolean> {
  try {
    await admin.operate(serviceOperations.advanceClock, { body: { ms } });
    return true;
  } catch (fault) {
    if (fault instanceof RequestRejectedError && fault.code === 'test_clock_off') return false;
    throw fault;
  }
}

function describe({ session, events }: Triggered): string {
  return formatFields([
    ['session', session.id],
    ['payer', session.payer_msisdn],
    ['status', session.status],
    ...(session.reason === undefined ? [] : ([['reason', session.reason]] as const)),
    ...(session.review === undefined ? [] : ([['review', session.review.reason]] as const)),
    ...events.map((event) => ['event', event] as const),
  ]);
}
