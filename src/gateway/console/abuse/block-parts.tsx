import type { BlockRole } from '../../../contract/staff/staff.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { Block } from '../../staff/block-query.ts';
import { DataTable } from '../pages/data-table.tsx';
import { showTime } from '../pages/format.ts';

export const roleWords: Readonly<Record<BlockRole, string>> = {
  dialler: 'may not request payments',
  payer: 'may not be asked to pay by other phones',
};

export function maskedPhone(text: string): string {
  const msisdn = parseMsisdn(text);
  return msisdn === undefined ? '' : maskedForm(msisdn);
}

/** The blocks that hold, each with a form that removes it. */
export function Blocks({ blocks, mayChange }: { blocks: readonly Block[]; mayChange: boolean }) {
  return (
    <DataTable
      label="Blocks"
      columns={[
        ...['Phone', 'What', 'Where', 'Since, until (UTC)', 'By', 'Why'],
        ...(mayChange ? ['Remove'] : []),
      ]}
      rows={blocks.map((block) => [
        maskedPhone(block.msisdn),
        roleWords[block.role],
        block.merchantId ?? 'all merchants',
        <>
          {showTime(block.at)}
          <br />
          {block.until === null ? 'no end' : showTime(block.until)}
        </>,
        block.actor,
        maskNumbers(block.reason),
        ...(mayChange ? [<Remove block={block} />] : []),
      ])}
    />
  );
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
      <label for="merchant">Where</label>
      <select id="merchant" name="merchant">
        <option value="">all merchants</option>
        {merchants.map((id) => (
          <option>{id}</option>
        ))}
      </select>
      <label for="days">How long</label>
      <select id="days" name="days">
        {spans.map(([value, text]) => (
          <option value={value}>{text}</option>
        ))}
      </select>
      <label for="reason">Reason</label>
      <input id="reason" name="reason" maxlength={1_000} required autocomplete="off" />
      <button type="submit">Block</button>
    </>
  );
}
