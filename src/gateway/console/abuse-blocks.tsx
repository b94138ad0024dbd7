import { blockWords } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskedText } from '../../shared/msisdn.ts';
import type { Block } from '../staff/block-query.ts';
import type { FormInput } from './define-route.ts';
import { maskedPhone, showMoment } from './parts/format.ts';
import { FormBehind, Select, Submit, TextInput, typedText } from './parts/forms.tsx';
import type { TableProps } from './parts/table.tsx';

/** The blocks that hold, each with a form that removes it. */
export function blockTable(blocks: readonly Block[], now: EpochMs, mayChange: boolean): TableProps<Block> {
  return {
    label: 'Blocks',
    columns: [
      ['Phone', ({ msisdn }) => <b>{maskedPhone(msisdn)}</b>, 'first'],
      [
        'What',
        ({ role, merchantId }) => (
          <>
            {blockWords[role]}
            <br />
            <small>{merchantId === null ? 'at all merchants' : `at ${merchantId}`}</small>
          </>
        ),
        'text',
      ],
      ['Why', ({ reason }) => maskedText(reason), 'text'],
      [
        'By',
        ({ actor, at, until }) => (
          <>
            {actor}, {showMoment(at, now)}
            <br />
            <small>{until === null ? 'without an end' : `until ${showMoment(until, now)}`}</small>
          </>
        ),
        'text',
      ],
      mayChange && ['Action', (block) => <Remove block={block} />, 'links'],
    ],
    rows: blocks,
  };
}

function Remove({ block: { seq, msisdn } }: { block: Block }) {
  return (
    <FormBehind text="Remove">
      <form class="form" method="post" action={`/console/abuse/blocks/${seq}/remove`}>
        <TextInput
          id={`remove-${seq}`}
          name="reason"
          label={`Reason to remove the block of ${maskedPhone(msisdn)}`}
          required
        />
        <Submit kind="danger">Remove the block</Submit>
      </form>
    </FormBehind>
  );
}

const spans = [
  ['', 'until a person removes it'],
  ['1', 'for one day'],
  ['7', 'for 7 days'],
  ['30', 'for 30 days'],
] as const;

/** The fields that every form of a block has. `typed`: those of the form before it was refused. */
export function BlockFields({ merchants, typed }: { merchants: readonly string[]; typed: FormInput }) {
  return (
    <>
      <Select
        id="merchant"
        label="Where"
        choices={[['', 'all merchants'], ...merchants.map((id) => [id] as const)]}
        value={typed.merchant}
      />
      <Select id="days" label="How long" choices={spans} value={typed.days ?? '7'} />
      <TextInput id="reason" label="Reason" required value={typedText(typed, 'reason')} />
      <Submit kind="danger">Block the phone</Submit>
    </>
  );
}
