import type { BlockRole } from '../../contract/staff/staff.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { Block } from '../staff/block-query.ts';
import { maskedPhone, showSecond } from './parts/format.ts';
import { Select, TextInput } from './parts/forms.tsx';
import type { TableProps } from './parts/table.tsx';

export const roleWords: Readonly<Record<BlockRole, string>> = {
  dialler: 'may not request payments',
  payer: 'may not be asked to pay by other phones',
};

/** The blocks that hold, each with a form that removes it. */
export function blockTable(blocks: readonly Block[], mayChange: boolean): TableProps<Block> {
  return {
    label: 'Blocks',
    columns: [
      ['Phone', ({ msisdn }) => maskedPhone(msisdn)],
      ['What', ({ role }) => roleWords[role]],
      ['Where', ({ merchantId }) => merchantId ?? 'all merchants'],
      [
        'Since, until (UTC)',
        ({ at, until }) => (
          <>
            {showSecond(at)}
            <br />
            {until === null ? 'no end' : showSecond(until)}
          </>
        ),
      ],
      ['By', ({ actor }) => actor],
      ['Why', ({ reason }) => maskNumbers(reason)],
      mayChange && ['Remove', (block) => <Remove block={block} />],
    ],
    rows: blocks,
  };
}

function Remove({ block: { seq, msisdn } }: { block: Block }) {
  return (
    <form class="line" method="post" action={`/console/abuse/blocks/${seq}/remove`}>
      <input
        name="reason"
        aria-label={`Reason to remove the block of ${maskedPhone(msisdn)}`}
        placeholder="Reason"
        maxlength={1_000}
        required
        autocomplete="off"
      />
      <button type="submit">Remove</button>
    </form>
  );
}

const spans = [
  ['', 'until a person removes it'],
  ['1', 'for one day'],
  ['7', 'for 7 days'],
  ['30', 'for 30 days'],
] as const;

/** The fields that every form of a block has. */
export function BlockFields({ merchants }: { merchants: readonly string[] }) {
  return (
    <>
      <Select
        id="merchant"
        label="Where"
        choices={[['', 'all merchants'], ...merchants.map((id) => [id] as const)]}
      />
      <Select id="days" label="How long" choices={spans} value="7" />
      <TextInput id="reason" label="Reason" required />
      <button type="submit">Block</button>
    </>
  );
}
