import type { BlockRole } from '../../../contract/staff.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { Block } from '../../staff/block-query.ts';
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
    <section class="wide" aria-label="Blocks" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Phone</th>
            <th scope="col">What</th>
            <th scope="col">Where</th>
            <th scope="col">Since, until (UTC)</th>
            <th scope="col">By</th>
            <th scope="col">Why</th>
            {mayChange && <th scope="col">Remove</th>}
          </tr>
        </thead>
        <tbody>
          {blocks.map((block) => (
            <tr>
              <td>{maskedPhone(block.msisdn)}</td>
              <td>{roleWords[block.role]}</td>
              <td>{block.merchantId ?? 'all merchants'}</td>
              <td>
                {showTime(block.at)}
                <br />
                {block.until === null ? 'no end' : showTime(block.until)}
              </td>
              <td>{block.actor}</td>
              <td>{maskNumbers(block.reason)}</td>
              {mayChange && (
                <td>
                  <form class="line" method="post" action={`/console/abuse/blocks/${block.seq}/remove`}>
                    <input
                      name="reason"
                      aria-label={`Reason to remove the block of ${maskedPhone(block.msisdn)}`}
                      placeholder="Reason"
                      maxlength={1_000}
                      required
                      autocomplete="off"
                    />
                    <button type="submit">Remove</button>
                  </form>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
