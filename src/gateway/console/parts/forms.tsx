import type { Child } from 'hono/jsx';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { Icon, type IconName } from '../../../shared/pages/icons.tsx';
import type { StaffDeps } from '../../staff/operation.ts';
import type { FormInput } from '../define-route.ts';
import { Card, Flash } from './card.tsx';

/** The message of a page, which describes a field that was refused. */
export const messageId = 'message';

/** The message about a fault. Nothing without a text. */
export function Message({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <Flash tone="bad" id={messageId}>
      {text}
    </Flash>
  );
}

/** The result of the form that was just sent. Nothing without a text. */
export function Done({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Flash tone="good">{text}</Flash>;
}

export function FormField({
  name,
  label,
  hint,
  ...input
}: {
  name: string;
  label: string;
  hint?: string;
  type?: 'text' | 'password';
  autocomplete: string;
  inputmode?: 'numeric';
  maxlength?: number;
  value?: string | undefined;
}) {
  const hintId = hint === undefined ? undefined : `${name}-hint`;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input {...input} id={name} name={name} required aria-describedby={hintId} autocapitalize="none" />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}

/** The largest length of a text field, in characters. */
const maxTextLength = 1_000;

type InputProps = {
  id: string;
  /** The name of the field, when it is another one than the id. */
  name?: string;
  label: string;
};

type TextInputProps = InputProps & {
  type?: 'search' | 'url';
  value?: string | undefined;
  maxlength?: number;
  required?: boolean;
  inputmode?: 'tel';
  placeholder?: string;
  hint?: string;
};

/** A text of one line, with its label. */
export function TextInput({
  id,
  name = id,
  label,
  maxlength = maxTextLength,
  hint,
  ...input
}: TextInputProps) {
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        name={name}
        maxlength={maxlength}
        autocomplete="off"
        aria-describedby={hintId}
      />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}

/** A text of several lines that is required, with its label. */
export function TextArea({
  id,
  name = id,
  label,
  rows,
  value,
  hint,
}: InputProps & { rows: number; value: string; hint?: string }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        maxlength={maxTextLength}
        required
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      >
        {value}
      </textarea>
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

type SelectProps = InputProps & {
  /** Values with their labels. A value without a label is shown as it is. */
  choices: readonly (readonly [value: string, words?: Child])[];
  value?: string | undefined;
  /** True when the empty value is no choice. */
  required?: boolean;
};

export function Select({ id, name = id, label, choices, value, required }: SelectProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} required={required}>
        <Options choices={choices} value={value} />
      </select>
    </div>
  );
}

export function Options({ choices, value }: Pick<SelectProps, 'choices' | 'value'>) {
  return (
    <>
      {choices.map(([one, words]) => (
        <option value={words === undefined ? undefined : one} selected={one === value}>
          {words ?? one}
        </option>
      ))}
    </>
  );
}

type PostButtonProps = {
  action: string;
  text: Child;
  icon?: IconName;
  /** The name of the button for screen readers, when its text alone is not enough. */
  label?: string;
  /** The hidden fields of the form. */
  fields?: Readonly<Record<string, string | number>>;
  /** The effect of the button. */
  hint?: string;
  /** `primary` is the one next step of a page, `quiet` a rare one, `danger` takes something away. */
  kind?: ButtonKind;
};

export type ButtonKind = 'primary' | 'quiet' | 'danger';

/** A form that is one button. */
export function PostButton({ action, text, label, fields = {}, hint, icon, kind }: PostButtonProps) {
  return (
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={kind} aria-label={label}>
        {icon && <Icon name={icon} />}
        {text}
      </button>
      {hint !== undefined && <small>{hint}</small>}
    </form>
  );
}

/** The button that sends the form around it. */
export function Submit({ kind = 'primary', children }: { kind?: ButtonKind; children?: Child }) {
  return (
    <button type="submit" class={kind}>
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ href, children }: { href: string; children?: Child }) {
  return (
    <a class="button" href={href}>
      {children}
    </a>
  );
}

/** The link to the list that a page belongs to. */
export function Back({ path, text }: { path: string; text: string }) {
  return (
    <p>
      <a href={path}>{text}</a>
    </p>
  );
}

/** A button that copies the text of an element. It is hidden until the page's script runs, because it needs the script. */
export function CopyButton({ id, text = 'Copy' }: { id: string; text?: string }) {
  return (
    <button type="button" class="quiet" data-copy={id} hidden>
      <Icon name="copy" />
      {text}
    </button>
  );
}

/** A form behind a button, for an action that needs a reason or a choice. */
export function FormBehind({ text, icon, kind, isOpen, children }: FormBehindProps) {
  return (
    <details open={isOpen}>
      <summary class={`button${kind === undefined ? '' : ` ${kind}`}`}>
        {icon && <Icon name={icon} />}
        {text}
      </summary>
      {children}
    </details>
  );
}

type FormBehindProps = {
  text: Child;
  icon?: IconName;
  kind?: ButtonKind;
  /** True after the form was refused. */
  isOpen?: boolean;
  children: Child;
};

type SecretProps = { secret: string; what: string; children?: Child };

/** A secret that is shown once. */
export function SecretOnce({ secret, what, children }: SecretProps) {
  return (
    <Card id="secret-title" title={what}>
      <p>
        <code id="secret">{secret}</code> <CopyButton id="secret" />
      </p>
      <p>It is not shown again. Copy it now into the settings of the merchant's system.</p>
      {children}
    </Card>
  );
}

type MerchantFieldProps = {
  operations: Pick<StaffDeps, 'merchantIds'>;
  own: string | null;
  value?: string | undefined;
};

/** The field for the merchant, filled in when the gateway has only one. People of a merchant see theirs as text. */
export function MerchantField({ operations, own, value }: MerchantFieldProps) {
  const [first, ...others] = operations.merchantIds();
  const only = others.length === 0 ? first : undefined;
  return own === null ? (
    <div class="field">
      <label for="merchant">Merchant</label>
      <input
        id="merchant"
        name="merchant"
        required
        maxlength={64}
        value={value ?? only ?? ''}
        autocomplete="off"
        autocapitalize="none"
      />
    </div>
  ) : (
    <p>Merchant: {own}</p>
  );
}

/** The fields of a form that was refused. Phone numbers in them are masked, as on every page. */
export type Typed = FormInput | undefined;

/** Returns the text of a field that a person typed before; empty without one. */
export function typedText(typed: Typed, name: string): string {
  return maskNumbers(typed?.[name] ?? '');
}

const texts = ['text', 'evidence', 'reason', 'reference'] as const;

/** Shows texts whose form is not on the page any more, so that they are not lost. Nothing without one. */
export function TypedTexts({ typed }: { typed: Typed }) {
  const left = texts.map((name) => typedText(typed, name)).filter((text) => text.trim() !== '');
  if (left.length === 0) return null;
  return (
    <Card id="typed" title="What you typed">
      {left.map((text) => (
        <blockquote>{text}</blockquote>
      ))}
    </Card>
  );
}
