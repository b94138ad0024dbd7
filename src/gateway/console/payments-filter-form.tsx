import type { Child } from 'hono/jsx';
import { paymentReasons } from '../../contract/merchant/payment-reason.ts';
import { operators, operatorTitles } from '../../shared/msisdn.ts';
import type { FilterTexts } from '../support/filter-text.ts';
import type { Scope } from '../support/page.ts';
import { nameReason } from '../support/playbook/playbook-row.ts';
import { Submit } from './parts/forms.tsx';
import { type FieldName, type FilterFault, fieldLabels, hasFilter, paymentsPath } from './payments-filter.ts';

export type FilterFormProps = {
  texts: FilterTexts;
  /** The fault of the form that was sent, and its field. */
  fault?: FilterFault | undefined;
  scope: Scope;
  merchants: readonly string[];
  channels: readonly string[];
  /** The people who can have a payment. */
  people: readonly string[];
};

type Choices = readonly (readonly [value: string, words: string])[];

/** Longer lists are typed. */
const maxChoices = 100;

/** The filters of a list as a form. The days and the status that are chosen beside it are sent with it. */
export function FilterForm({ texts, fault, scope, merchants, channels, people }: FilterFormProps) {
  const [from, fromTime] = splitMoment(texts.from);
  const [to, toTime] = splitMoment(texts.to);
  const same = (values: readonly string[]) => values.map((value) => [value, value] as const);
  const networks = operators
    .filter((one) => one !== 'unknown')
    .map((one) => [one, operatorTitles[one]] as const);
  const named = [...paymentReasons]
    .map((one) => [one, nameReason(one)] as const)
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
  return (
    <form class="card form" method="get" action={paymentsPath}>
      {texts.status !== undefined && <input type="hidden" name="status" value={texts.status} />}
      {texts.when !== undefined && <input type="hidden" name="when" value={texts.when} />}
      <div class="fields">
        <Field name="from" label={fieldLabels.from} type="date" value={from} fault={fault} />
        <Field name="to" label={fieldLabels.to} type="date" value={to} fault={fault} />
        <Range
          title="Time of day"
          inputmode="numeric"
          fault={fault}
          ends={[
            { name: 'fromTime', label: 'From', value: fromTime, placeholder: '08:00' },
            { name: 'toTime', label: 'To', value: toTime, placeholder: '12:30' },
          ]}
        />
        <Range
          title="Amount, GHS"
          inputmode="decimal"
          fault={fault}
          ends={[
            { name: 'min', label: 'At least', value: texts.min, placeholder: '20.00' },
            { name: 'max', label: 'At most', value: texts.max, placeholder: '50.00' },
          ]}
        />
        <Choose name="network" value={texts.network} choices={networks} fault={fault} />
        {hasFilter(scope, 'merchant') && (
          <Choose name="merchant" value={texts.merchant} choices={same(merchants)} fault={fault} />
        )}
        <Choose name="channel" value={texts.channel} choices={same(channels)} fault={fault} />
        <Choose name="reason" value={texts.reason} choices={named} fault={fault} />
        {hasFilter(scope, 'assigned') && (
          <Choose name="assigned" value={texts.assigned} choices={same(people)} fault={fault} />
        )}
        <Field
          name="last4"
          label={fieldLabels.last4}
          value={texts.last4}
          fault={fault}
          inputmode="numeric"
          maxlength={4}
        />
      </div>
      <small>
        An amount is compared with the price, and with the totals that the payer was asked for and charged.
      </small>
      <div class="line">
        <Submit>Show payments</Submit>
        {Object.keys(texts).length > 0 && (
          <a class="button quiet" href={paymentsPath}>
            Clear all filters
          </a>
        )}
      </div>
    </form>
  );
}

function splitMoment(text = ''): [day: string, time: string | undefined] {
  const [day = '', time] = text.split('T');
  return [day, time];
}

type FaultProps = { fault: FilterFault | undefined };

const faultId = 'filter-fault';

/** Returns the attributes of a field that was refused. */
function markFault(name: FieldName, fault: FilterFault | undefined) {
  return fault?.field === name ? { 'aria-invalid': 'true' as const, 'aria-describedby': faultId } : {};
}

/** The fault of one of some fields, above them. */
function FaultText({ of, fault }: { of: readonly FieldName[] } & FaultProps) {
  if (fault?.field === undefined || !of.includes(fault.field)) return null;
  return (
    <p class="error" id={faultId}>
      {fault.message}
    </p>
  );
}

type FieldProps = FaultProps & {
  name: FieldName;
  label: string;
  value: string | undefined;
  type?: 'text' | 'date';
  maxlength?: number;
  inputmode?: 'numeric' | 'decimal';
  placeholder?: string;
};

/** A label and the fault of its field, above it. */
function Labelled({
  name,
  label,
  fault,
  children,
}: Pick<FieldProps, 'name' | 'label' | 'fault'> & { children?: Child }) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <FaultText of={[name]} fault={fault} />
      {children}
    </div>
  );
}

function Field({ label, value = '', type = 'text', fault, ...input }: FieldProps) {
  const { name } = input;
  const marks = { ...markFault(name, fault), id: `filter-${name}` };
  return (
    <Labelled {...{ name, label, fault }}>
      <input maxlength={64} {...input} {...marks} type={type} value={value} autocomplete="off" />
    </Labelled>
  );
}

type RangeProps = FaultProps & {
  title: string;
  inputmode: 'numeric' | 'decimal';
  ends: readonly [first: RangeEnd, last: RangeEnd];
};

type RangeEnd = Pick<FieldProps, 'name' | 'label' | 'value' | 'placeholder'>;

/** Two fields with one title: the begin and the end of a range. */
function Range({ title, inputmode, ends, fault }: RangeProps) {
  const [first, last] = ends.map(({ name, label, value = '', placeholder }) => (
    <input
      {...{ name, value, placeholder, inputmode, ...markFault(name, fault) }}
      aria-label={label}
      maxlength={16}
      autocomplete="off"
    />
  ));
  return (
    <fieldset class="field">
      <legend>{title}</legend>
      <FaultText of={ends.map(({ name }) => name)} fault={fault} />
      <div class="pair">
        {first}
        <span>to</span>
        {last}
      </div>
    </fieldset>
  );
}

type ChooseProps = FaultProps & {
  name: keyof typeof fieldLabels;
  value: string | undefined;
  choices: Choices;
};

/** A choice of values; a field to type in when there are many or none. */
function Choose({ name, value, choices, fault }: ChooseProps) {
  const label = fieldLabels[name];
  if (choices.length === 0 || choices.length > maxChoices)
    return <Field {...{ name, label, value, fault }} />;
  const isKnown = value === undefined || choices.some(([one]) => one === value);
  const all = isKnown ? choices : [...choices, [value, value] as const];
  return (
    <Labelled {...{ name, label, fault }}>
      <select id={`filter-${name}`} name={name} {...markFault(name, fault)}>
        <option value="">Any</option>
        {all.map(([one, words]) => (
          <option value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
