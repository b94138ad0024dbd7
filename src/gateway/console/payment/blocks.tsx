import { type BlockRole, blockRoles } from '../../../contract/staff/staff.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { Block } from '../../staff/block-query.ts';
import { showTime } from '../pages/format.ts';

const dayMs = 24 * 3_600_000;

/** How long a block holds, by the value of the form. */
const lengths = {
  day: ['one day', dayMs],
  week: ['7 days', 7 * dayMs],
  month: ['30 days', 30 * dayMs],
  none: ['without an end', null],
} as const;

const roleWords: Readonly<Record<BlockRole, string>> = {
  dialler: 'The dialler cannot request payments',
  payer: 'The payer cannot be asked by other phones',
};

/** Returns the time at which a block of the form ends; undefined for another value. */
export function blockEnd(length: string | undefined, now: number): string | null | undefined {
  if (length === undefined || !Object.hasOwn(lengths, length)) return undefined;
  const [, ms] = lengths[length as keyof typeof lengths];
  return ms === null ? null : new Date(now + ms).toISOString();
}

type BlocksProps = { row: CollectionRow; blocks: readonly Block[]; mayBlock: boolean };

/** The blocks that hold of the numbers of a payment, and the form for one more. */
export function Blocks({ row, blocks, mayBlock }: BlocksProps) {
  const own = blocks.filter((one) => one.msisdn === (one.role === 'dialler' ? row.dialler : row.payer));
  // An empty part, so that a block appears while the page is open.
  if (own.length === 0 && !mayBlock) return <section id="block-list" data-part hidden />;
  const base = `/console/payments/${row.id}`;
  return (
    <section id="block-list" data-part class="card" aria-labelledby="blocks">
      <h2 id="blocks">Blocks</h2>
      {own.length === 0 && <p>No number of this payment is blocked.</p>}
      {own.map((one) => (
        <HeldBlock block={one} action={mayBlock ? `${base}/unblock` : undefined} />
      ))}
      {mayBlock && (
        <details>
          <summary>Block a number of this payment</summary>
          <BlockForm action={`${base}/block`} />
        </details>
      )}
    </section>
  );
}

function HeldBlock({ block, action }: { block: Block; action: string | undefined }) {
  const { role, merchantId, until, actor, at, reason } = block;
  const place = merchantId === null ? 'all merchants' : merchantId;
  const id = `unblock-${block.seq}`;
  return (
    <>
      <p>
        <strong>{roleWords[role]}</strong> at {place}
        {until !== null && <> until {showTime(until)} UTC</>}: {maskNumbers(reason)} ({actor}, {showTime(at)})
      </p>
      {action !== undefined && (
        <form method="post" action={action}>
          <input type="hidden" name="role" value={role} />
          <input type="hidden" name="everywhere" value={merchantId === null ? '1' : ''} />
          <label for={id}>Reason to remove the block</label>
          <input id={id} name="reason" maxlength={1_000} required autocomplete="off" />
          <button type="submit" class="second">
            Remove the block
          </button>
        </form>
      )}
    </>
  );
}

function BlockForm({ action }: { action: string }) {
  return (
    <form method="post" action={action}>
      <label for="block-role">What is blocked</label>
      <select id="block-role" name="role">
        {blockRoles.map((role) => (
          <option value={role}>{roleWords[role]}</option>
        ))}
      </select>
      <label for="block-place">Where</label>
      <select id="block-place" name="everywhere">
        <option value="">at this merchant</option>
        <option value="1">at all merchants</option>
      </select>
      <label for="block-length">How long</label>
      <select id="block-length" name="length">
        {Object.entries(lengths).map(([value, [words]]) => (
          <option value={value}>{words}</option>
        ))}
      </select>
      <label for="block-reason">Reason</label>
      <input id="block-reason" name="reason" maxlength={1_000} required autocomplete="off" />
      <button type="submit">Block</button>
    </form>
  );
}
