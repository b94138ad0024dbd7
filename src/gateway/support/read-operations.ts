import { z } from 'zod';
import { msisdn } from '../../contract/service/field.ts';
import type { SupportAnswer } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { findOtherZones } from '../../shared/time-text.ts';
import { version } from '../../shared/version.ts';
import type { Store } from '../../sqlite/store.ts';
import { type Actor, can } from '../access/permissions.ts';
import { closedStatuses, openStatuses } from '../collection/collection.ts';
import type { Reader, Reads } from '../reading/reads.ts';
import {
  defineOperation,
  type Operation,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../staff/operation.ts';
import { unplacedStates } from '../unplaced/unplaced.ts';
import { callerRoles } from './caller-query.ts';
import { readSearchBox } from './filter-text.ts';
import { revealedUntil, viewForPerson } from './masked.ts';
import { maxPageLimit } from './page.ts';
import { type SearchOptions, type SupportInput, type SupportReadName, supportReads } from './reads.ts';
import { searchedDigits } from './search-term.ts';
import { statusGroups } from './selection-query.ts';

/** Who reads, and when. */
type PersonReading = { actor: Actor; now: EpochMs; lastFour: boolean } & Pick<
  SearchOptions,
  'merchantIds' | 'channelIds' | 'timeZones'
>;

/**
 * Runs a read of support staff by its name, and returns what its actor may see: with masked numbers, except those of a payment that the
 * person has revealed.
 */
export async function readForPerson(
  store: Store,
  name: SupportReadName,
  { actor, ...reading }: PersonReading,
  input: SupportInput<SupportReadName>,
): Promise<unknown> {
  const read: (store: Store, reading: SearchOptions, input: never) => Promise<unknown> = supportReads[name];
  const value = await read(store, reading, input as never);
  const record = typeof value === 'object' && value !== null && 'view' in value && value.view;
  const actions = record && typeof record === 'object' && 'actions' in record ? record.actions : [];
  const isRevealed =
    actor.kind === 'person' &&
    can(actor, 'numbers.reveal') &&
    revealedUntil(actor, actions as never) > reading.now;
  return viewForPerson(value, isRevealed ? 'whole' : 'masked');
}

const text = z.string().max(200);
const page = { limit: z.int().min(1).max(maxPageLimit), after: text.optional() };
const time = z.int().nonnegative();
const number = msisdn as unknown as z.ZodType<Msisdn>;
const amount = time as unknown as z.ZodType<AmountMinor>;

const collectionFilter = z.strictObject({
  status: z.enum([...openStatuses, ...closedStatuses, ...statusGroups]).optional(),
  merchantId: text.optional(),
  channel: text.optional(),
  network: text.optional(),
  reason: text.optional(),
  from: time.optional(),
  before: time.optional(),
  minMinor: amount.optional(),
  maxMinor: amount.optional(),
  dialler: number.optional(),
  last4: text.optional(),
  assigned: text.optional(),
});

const actionFilter = z.strictObject({
  actor: text.optional(),
  action: text.optional(),
  subject: text.optional(),
  merchantId: text.optional(),
  from: time.optional(),
  before: time.optional(),
});

const unplacedFilter = z.strictObject({
  state: z.enum(unplacedStates).optional(),
  merchantId: text.optional(),
});

/** The input of each read. */
const inputs: { [Name in SupportReadName]: z.ZodType<SupportInput<Name>> } = {
  find: z.strictObject({ term: text, ...page }),
  collections: z.strictObject({ filter: collectionFilter, ...page }),
  inReview: z.strictObject(page),
  collection: z.strictObject({ name: text }),
  timeZones: z.strictObject({}),
  actions: z.strictObject({ filter: actionFilter, ...page }),
  balances: z.strictObject({ day: z.strictObject({ from: time, to: time }).optional() }),
  insights: z.strictObject({
    ...{ from: text.optional(), to: text.optional(), channel: text.optional(), language: text.optional() },
    merchantId: text.nullable(),
  }),
  reviews: z.strictObject(page),
  review: z.strictObject({ id: text }),
  unplaced: z.strictObject({ filter: unplacedFilter, ...page }),
  unplacedPayment: z.strictObject({ name: text }),
  unplacedEvents: z.strictObject(page),
  sessions: z.strictObject({ dialler: number, ...page }),
  session: z.strictObject({ id: text }),
  turns: z.strictObject({ after: time.optional(), last: time }),
  caller: z.strictObject({
    of: z.union([z.strictObject({ msisdn: number }), z.strictObject({ id: text })]),
    role: z.enum(callerRoles).optional(),
    ...page,
  }),
  blocks: z.strictObject({ ...page, msisdn: number.optional(), after: time.optional() }),
};

/** The reads of people on the command line, in the turns of each one. */
export type SupportReader = Pick<Reader<{ support: typeof readForPerson }>, 'by'>;
type SupportRead = Reads<{ support: typeof readForPerson }>['support'];

/**
 * Returns an operation for each read. The input is in the body, because it can contain a phone number. Its answers have the version of the
 * gateway: the command line reads only those of its own version.
 */
export function createReadOperations(reader: SupportReader): readonly Operation[] {
  return Object.keys(inputs).map((key) => {
    const name = key as SupportReadName;
    const input: z.ZodType = inputs[name];
    return defineOperation({
      route: `POST /reads/${name}`,
      permission: name === 'actions' ? 'audit.read' : 'cases.read',
      input,
      run: ({ clock, merchantIds, channelIds, timeZone }: StaffDeps, { actor, input }) =>
        read(reader.by({ name: actor.name, merchantId: actor.merchantId }).support, name, {
          reading: {
            ...{ actor, now: clock.now(), lastFour: !can(actor, 'numbers.reveal') },
            ...{ merchantIds: merchantIds(), channelIds: channelIds(null) },
            timeZones: findOtherZones(merchantIds().map((id) => [id, timeZone(id)])),
          },
          input: input as SupportInput<SupportReadName>,
        }),
    });
  });
}

async function read(
  support: SupportRead,
  name: SupportReadName,
  { reading, input }: { reading: PersonReading; input: SupportInput<SupportReadName> },
): Promise<StaffAnswer<SupportAnswer>> {
  if (reading.lastFour && hasDigits(input))
    return refuse('forbidden', 'your role may not find payments by digits of a number here: use the console');
  const value = await support(name, reading, input);
  if (typeof value === 'object' && value !== null && 'refused' in value)
    return refuse('invalid_request', String(value.refused));
  return { ok: true, value: { version, value } };
}

/** Returns whether a read finds something by a number or by its digits: a person who may not see numbers could find one by trying. */
function hasDigits(input: object): boolean {
  return Object.entries(input).some(([key, value]) => {
    if (key === 'filter' || key === 'of') return hasDigits(value);
    if (key === 'dialler' || key === 'msisdn' || key === 'last4') return value !== undefined;
    const isTerm = key === 'term' || key === 'name' || key === 'subject';
    const box = key === 'term' && typeof value === 'string' ? readSearchBox(value, { now: 0 }) : undefined;
    if (box?.kind === 'filters') return hasDigits(box.filter);
    return isTerm && typeof value === 'string' && searchedDigits(value) !== '';
  });
}
