import { operators, operatorTitles } from '../shared/msisdn.ts';
import type { PhoneChannel } from './browser-phone.ts';
import type { Fields } from './forms.ts';

/** A number without an outcome of its own: a person answers its prompts. */
const firstNumber = '0244123456';

/** The fields of a dial. `prefix` makes their ids unique on the page. */
export function DialFields({
  channels,
  prefix,
  channelId,
  code,
}: {
  channels: readonly PhoneChannel[];
  prefix: string;
  channelId: string | undefined;
  code: string;
}) {
  return (
    <>
      <p>
        <label for={`${prefix}-channel`}>Aggregator</label>
        <select id={`${prefix}-channel`} name="channel">
          {channels.map(({ id, serviceCode, aggregator }) => (
            <option value={id} selected={id === channelId}>
              {serviceCode} {aggregator.title}
              {id === aggregator.name ? '' : ` (${id})`}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for={`${prefix}-code`}>Code (empty: the code of the aggregator)</label>
        <input
          id={`${prefix}-code`}
          name="code"
          value={code}
          maxlength={182}
          autocomplete="off"
          spellcheck={false}
          placeholder="*713*5*1*20#"
        />
      </p>
    </>
  );
}

/** The form that adds a phone and dials with it. */
export function NewPhoneForm({
  channels,
  fields,
  isFirst,
}: {
  channels: readonly PhoneChannel[];
  fields: Fields;
  isFirst: boolean;
}) {
  return (
    <form class="new" method="post" action="/phone" aria-labelledby="new-title">
      <h2 id="new-title">{isFirst ? 'Dial' : 'Another phone'}</h2>
      <p>
        <label for="new-number">Number of the phone</label>
        <input
          id="new-number"
          name="number"
          type="tel"
          required
          maxlength={32}
          value={fields.number ?? (isFirst ? firstNumber : '')}
          autocomplete="off"
          placeholder="0201234567"
        />
      </p>
      <p>
        <label for="new-operator">Operator</label>
        <select id="new-operator" name="operator">
          <option value="">by the prefix of the number</option>
          {operators.map((name) => (
            <option value={name} selected={name === fields.operator}>
              {operatorTitles[name]}
            </option>
          ))}
        </select>
      </p>
      <DialFields channels={channels} prefix="new" channelId={fields.channel} code={fields.code ?? ''} />
      <p>
        <button type="submit" class="primary">
          Dial
        </button>{' '}
        <button type="submit" name="start" value="later">
          Only add the phone
        </button>
      </p>
    </form>
  );
}
