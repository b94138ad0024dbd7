import type { Clock } from '../../../shared/clock.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import type { Person } from '../../access/actor.ts';
import { dayMs } from '../../ledger/day.ts';
import { refuse, type StaffAnswer, type StaffDeps } from '../../staff/operation.ts';
import { blockNumber, unblockNumber } from '../../staff/operations/block.ts';
import { type ConsoleRoute, defineRoute, type Fields, type PageContent, statusOf } from '../define-route.ts';
import { pageRows } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { abusePage, diallerPage } from './abuse-page.tsx';

export type AbuseDeps = {
  operations: StaffDeps;
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  merchantIds(): readonly string[];
};

/** The days of requests that the pages show. */
const days = 7;

const noPayment: PageContent = {
  title: 'No such payment',
  status: 404,
  body: <p>No payment has this id. Start with the list of declined requests.</p>,
};

/**
 * Returns the routes of phones whose requests were declined, and of blocks. A page names a phone by a payment and a block by its
 * action, so that no address and no form has a number that the person has not typed.
 */
export function abuseRoutes({ operations, reader, clock, merchantIds }: AbuseDeps): ConsoleRoute[] {
  const span = () => {
    const now = clock.now();
    return { livemode: operations.livemode, since: now - days * dayMs, now };
  };
  const merchantsFor = ({ role }: Person) => (mayUse(role, 'POST /abuse/blocks') ? merchantIds() : undefined);

  async function listPage(person: Person, before?: number, message?: string): Promise<PageContent> {
    const { now } = span();
    const diallers = await reader.by(person).refusedDiallers(span());
    const blocks = await reader.by(person).blocks({ now, limit: pageRows, before });
    return abusePage({ diallers, blocks, now, days, merchants: merchantsFor(person), message });
  }

  async function phonePage(person: Person, id: string, message?: string): Promise<PageContent> {
    const history = await reader.by(person).dialler(id, span());
    if (!history) return noPayment;
    return diallerPage({ history, now: clock.now(), days, merchants: merchantsFor(person), message });
  }

  /** Returns the number that a form is about: that of a payment, or the one that was typed. */
  async function numberOf(person: Person, { payment = '', number = '', role }: Fields): Promise<string> {
    if (payment === '') return number;
    const parties = await reader.by(person).parties(payment);
    return (role === 'payer' ? parties?.payer : parties?.dialler) ?? '';
  }

  async function block(person: Person, fields: Fields): Promise<StaffAnswer<unknown>> {
    const msisdn = parseMsisdn(await numberOf(person, fields));
    if (!msisdn) return refuse('invalid_request', 'Enter a phone number of Ghana.');
    const { role = '', merchant = '', days: wanted = '', reason = '' } = fields;
    const untilMs = /^\d{1,3}$/.test(wanted) ? clock.now() + Number(wanted) * dayMs : null;
    const input = {
      ...{ msisdn, role, merchantId: merchant || null, reason },
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
    };
    return blockNumber(operations, { actor: person, input });
  }

  return [
    defineRoute('GET /abuse', async ({ c, person, show }) => {
      const before = c.req.query('before') ?? '';
      return show(await listPage(person, /^\d{1,15}$/.test(before) ? Number(before) : undefined));
    }),
    defineRoute('GET /abuse/:id', async ({ c, person, show }) =>
      show(await phonePage(person, c.req.param('id') ?? '')),
    ),
    defineRoute('POST /abuse/blocks', async ({ c, person, fields, show }) => {
      const answer = await block(person, fields);
      const { payment = '' } = fields;
      if (answer.ok) return c.redirect(payment === '' ? '/console/abuse' : `/console/abuse/${payment}`, 303);
      const page =
        payment === ''
          ? await listPage(person, undefined, answer.message)
          : await phonePage(person, payment, answer.message);
      return show({ ...page, status: statusOf(answer) });
    }),
    defineRoute('POST /abuse/blocks/:id/remove', async ({ c, person, fields, show }) => {
      const seq = c.req.param('id') ?? '';
      const key = /^\d{1,15}$/.test(seq)
        ? await reader.by(person).block(Number(seq), clock.now())
        : undefined;
      if (!key)
        return show({ ...(await listPage(person, undefined, 'This block holds no more.')), status: 404 });
      const { msisdn, role, merchantId } = key;
      const input = { msisdn, role, merchantId, reason: fields.reason ?? '' };
      const answer = await unblockNumber(operations, { actor: person, input });
      if (answer.ok) return c.redirect('/console/abuse', 303);
      return show({ ...(await listPage(person, undefined, answer.message)), status: statusOf(answer) });
    }),
  ];
}
