import { blockRoles, blockWords } from '../../contract/staff/staff.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import { dayMs } from '../ledger/day.ts';
import { refuse, type StaffAnswer } from '../staff/operation.ts';
import { blockNumber, unblockNumber } from '../staff/operations/block.ts';
import { BlockFields, blockTable } from './abuse-blocks.tsx';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  getStatus,
  type PageContent,
} from './define-route.ts';
import { Card, Chip, notFoundPage } from './parts/card.tsx';
import { maskedPhone, showMoment, showSpan } from './parts/format.ts';
import { Select, TextInput } from './parts/forms.tsx';
import { List, pageRows, readBefore } from './parts/list.tsx';
import { paymentPath, RowLink, Table } from './parts/table.tsx';

/** The days of requests that the pages show. */
const days = 7;

const noPayment = notFoundPage(
  'No such payment',
  'No payment has this id. Start with the list of declined requests.',
);

/** Blocks, and phones whose requests were declined. Pages name a phone by a payment: no address or form has an untyped number. */
export const abuseRoutes = [
  defineConsoleRoute(
    'GET /abuse',
    { needs: 'cases.read', menu: { group: 'Work', link: 'Blocks', icon: 'shield' } },
    async (call, context) => call.show(await listPage(context, call, readBefore(call.query.before))),
  ),
  defineConsoleRoute('GET /abuse/:id', { needs: 'cases.read' }, async (call, context) =>
    call.show(await phonePage(context, call, call.id)),
  ),
  defineConsoleRoute(
    'POST /abuse/blocks',
    { needs: 'blocks.write', result: 'Blocked.' },
    async (call, context) => {
      const { c, fields, show } = call;
      const answer = await block(context, call);
      const { payment = '' } = fields;
      if (answer.ok) return c.redirect(payment === '' ? '/console/abuse' : `/console/abuse/${payment}`, 303);
      const page = payment === '' ? await listPage(context, call) : await phonePage(context, call, payment);
      return show({ message: answer.message, ...page, status: getStatus(answer) });
    },
  ),
  defineConsoleRoute(
    'POST /abuse/blocks/:id/remove',
    { needs: 'blocks.write', result: 'The block is removed.' },
    async (call, context) => {
      const { c, id, person, reads, fields, show } = call;
      const seq = readBefore(id);
      const key = seq === undefined ? undefined : await reads.block(seq, context.clock.now());
      if (!key)
        return show({
          ...(await listPage(context, call)),
          message: 'This block holds no more.',
          status: 404,
        });
      const { msisdn, role, merchantId } = key;
      const input = { msisdn, role, merchantId, reason: fields.reason ?? '' };
      const answer = await unblockNumber(context.operations, { actor: person, input });
      if (answer.ok) return c.redirect('/console/abuse', 303);
      const page = await listPage(context, call);
      return show({ message: answer.message, ...page, status: getStatus(answer) });
    },
  ),
];

function getSpan({ operations, clock }: ConsoleContext) {
  const now = clock.now();
  return { livemode: operations.livemode, since: now - days * dayMs, now };
}

/** Returns the merchants of the form; undefined for a person who only reads. */
function merchantsFor({ operations }: ConsoleContext, person: Person): readonly string[] | undefined {
  return can(person, 'blocks.write') ? operations.merchantIds() : undefined;
}

/** Returns the number that a form is about: that of a payment, or the one that was typed. */
async function readNumber({ reads, fields }: ConsoleCall): Promise<string> {
  const { payment = '', number = '', role } = fields;
  if (payment === '') return number;
  const parties = await reads.parties(payment);
  return (role === 'payer' ? parties?.payer : parties?.dialler) ?? '';
}

async function block(
  { operations, clock }: ConsoleContext,
  call: ConsoleCall,
): Promise<StaffAnswer<unknown>> {
  const msisdn = parseMsisdn(await readNumber(call));
  if (!msisdn) return refuse('invalid_request', 'Enter a phone number of Ghana.');
  const { role = '', merchant = '', days: wanted = '', reason = '' } = call.fields;
  const untilMs = /^\d{1,3}$/.test(wanted) ? clock.now() + Number(wanted) * dayMs : null;
  const input = {
    ...{ msisdn, role, merchantId: merchant || null, reason },
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
  };
  return blockNumber(operations, { actor: call.person, input });
}

/** Returns the page of phones whose requests were declined, and of the blocks that hold. */
async function listPage(
  context: ConsoleContext,
  { person, reads, id, fields }: ConsoleCall,
  before?: number,
): Promise<PageContent> {
  const span = getSpan(context);
  const { now } = span;
  // The form that removes a block has a reason, too.
  const typed = id === '' ? fields : {};
  const { data, isCut } = await reads.refusedDiallers(span);
  const blocks = await reads.blocks({ now, limit: pageRows, before });
  const merchants = merchantsFor(context, person);
  const body = (
    <>
      <Table
        label="Declined requests"
        title={`Declined requests of ${days} days`}
        caption={
          <>
            Phones that asked other phones to pay, and the phones that declined.
            {isCut && ' Older requests of these days were not searched.'}
          </>
        }
        columns={[
          [
            'Phone',
            (one) => <RowLink href={`/console/abuse/${one.paymentId}`}>{maskedPhone(one.dialler)}</RowLink>,
            'first',
          ],
          ['Of', (one) => (one.requestedBy === 'attendant' ? 'an attendant' : 'another person'), 'plain'],
          ['Phones that declined', (one) => one.victims, 'amount'],
          ['Declined', (one) => one.declined, 'amount'],
          ['Last', (one) => `${showSpan(Math.max(0, now - one.lastAt))} ago`],
          ['Block', (one) => (one.isBlocked ? <Chip tone="bad">blocked</Chip> : '–')],
        ]}
        rows={data}
        empty={<p>No phone has a declined request. A phone that the caller reads out is blocked below.</p>}
      />
      <List
        path="/console/abuse"
        title="Blocks"
        caption={`${blocks.data.length} of ${blocks.total} that hold, newest first`}
        {...blockTable(blocks.data, now, merchants !== undefined)}
        empty={<p>No phone is blocked.</p>}
        next={blocks.next}
        isLater={before !== undefined}
        more={{ text: 'Older blocks', cursor: 'before' }}
      />
      {merchants && (
        <Card id="block" title="Block a phone">
          <form method="post" action="/console/abuse/blocks">
            <TextInput id="number" label="Phone number" maxlength={20} required inputmode="tel" />
            <Select
              id="role"
              label="What"
              choices={blockRoles.map((role) => [role, blockWords[role]])}
              value={typed.role}
            />
            <BlockFields {...{ merchants, typed }} />
          </form>
        </Card>
      )}
    </>
  );
  return { title: 'Blocks', body };
}

/** Returns the page of the phone that requested a payment: whom it asked, and its blocks. */
async function phonePage(
  context: ConsoleContext,
  { person, reads, fields }: ConsoleCall,
  id: string,
): Promise<PageContent> {
  const span = getSpan(context);
  const { now } = span;
  const history = await reads.dialler(id, span);
  if (!history) return noPayment;
  const { payment, victims, blocks } = history;
  const merchants = merchantsFor(context, person);
  const [dialler, payer] = [payment.dialler, payment.payer].map(maskedPhone);
  const body = (
    <>
      <p class="lead">
        It requested <a href={paymentPath(payment.id)}>a payment</a> at {payment.merchantId}
        {payment.requestedBy === 'payer' ? ' for itself' : ` from ${payer}`}.
      </p>
      <Table
        label="Phones that were asked"
        title={`Phones that it asked in ${days} days`}
        columns={[
          [
            'Payer',
            (one) => <a href={`/console/abuse/${one.paymentId}`}>{maskedPhone(one.payer)}</a>,
            'first',
          ],
          ['Requests', (one) => one.requests, 'amount'],
          ['Declined', (one) => one.declined, 'amount'],
          [
            'Last request',
            (one) => (
              <>
                <a href={paymentPath(one.paymentId)}>{showMoment(one.lastAt, now)}</a>
                {', '}
                {showSpan(Math.max(0, now - one.lastAt))} ago
              </>
            ),
          ],
        ]}
        rows={victims}
        empty={<p>It asked no other phone.</p>}
      />
      <Table
        title="Blocks of these phones"
        {...blockTable(blocks, now, merchants !== undefined)}
        empty={<p>Neither phone is blocked.</p>}
      />
      {merchants && (
        <Card id="block" title="Block a phone">
          <form method="post" action="/console/abuse/blocks">
            <input type="hidden" name="payment" value={payment.id} />
            <Select
              id="role"
              label="What"
              choices={[
                ['dialler', `${dialler} ${blockWords.dialler}`],
                ['payer', `${payer} ${blockWords.payer}`],
              ]}
              value={fields.role}
            />
            <BlockFields merchants={merchants} typed={fields} />
          </form>
        </Card>
      )}
    </>
  );
  return { title: `Requests of ${dialler}`, body };
}
