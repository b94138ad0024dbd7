import type { Child } from 'hono/jsx';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { StaffDeps, StaffFailureCode } from '../../staff/operation.ts';
import { type Fields, type PageContent, statusOf } from '../define-route.ts';

/** What went wrong, or what was done. */
export function Message({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p role="alert">{text}</p>;
}

/** A field of a form with its label. */
export function Field({
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
    <p>
      <label for={name}>{label}</label>
      <br />
      <input {...input} id={name} name={name} required aria-describedby={hintId} autocapitalize="none" />
      {hint !== undefined && (
        <>
          <br />
          <small id={hintId}>{hint}</small>
        </>
      )}
    </p>
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

/** The page of an endpoint that does not exist, and of one of another merchant. */
export const noEndpoint: PageContent = {
  title: 'No such endpoint',
  status: 404,
  body: <Back path="/console/endpoints" text="All endpoints" />,
};

type SecretProps = { secret: string; what: string; children?: Child };

/** A secret that is shown once. */
export function Secret({ secret, what, children }: SecretProps) {
  return (
    <section class="card" aria-labelledby="secret-title">
      <h2 id="secret-title">{what}</h2>
      <p>
        <code id="secret">{secret}</code>{' '}
        <button type="button" data-copy="secret" hidden>
          Copy
        </button>
      </p>
      <p>It is not shown again. Copy it now into the settings of the merchant's system.</p>
      {children}
    </section>
  );
}

type MerchantFieldProps = {
  operations: Pick<StaffDeps, 'merchantIds'>;
  own: string | null;
  value?: string | undefined;
};

/**
 * The field for the merchant, with the id of the only one. People of a merchant have no such field, because the merchant is theirs.
 */
export function MerchantField({ operations, own, value }: MerchantFieldProps) {
  const [first, ...others] = operations.merchantIds();
  const only = others.length === 0 ? first : undefined;
  return own === null ? (
    <p>
      <label for="merchant">Merchant</label>
      <br />
      <input
        id="merchant"
        name="merchant"
        required
        maxlength={64}
        value={value ?? only ?? ''}
        autocomplete="off"
        autocapitalize="none"
      />
    </p>
  ) : (
    <p>Merchant: {own}</p>
  );
}

export function Refused({ text, path, back }: { text: string; path: string; back: string }) {
  return (
    <>
      <Message text={text} />
      <Back path={path} text={back} />
    </>
  );
}

/** The page that says why nothing was changed about an endpoint. One of another merchant is not found. */
export function refusedPage(id: string, refusal: { code: StaffFailureCode; message: string }): PageContent {
  if (refusal.code === 'not_found') return noEndpoint;
  const body = <Refused text={refusal.message} path={`/console/endpoints/${id}`} back="The endpoint" />;
  return { title: 'Nothing was changed', body, status: statusOf(refusal) };
}

/** What a person typed into a form that was refused. Phone numbers in it are masked, as on every page. */
export type Typed = Fields | undefined;

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
    <section aria-labelledby="typed">
      <h2 id="typed">What you typed</h2>
      {left.map((text) => (
        <blockquote>{text}</blockquote>
      ))}
    </section>
  );
}

type PasskeyFormProps = {
  action: string;
  /** What the browser needs to create or use a passkey (WebAuthn, as JSON). */
  options: object;
  button: string;
  /** What to do when the browser has used no passkey. */
  otherwise: string;
  /** More fields. */
  children?: Child;
};

/** A form that the script shows, and completes with the answer of a passkey: without JavaScript there are none. */
export function PasskeyForm({ action, options, button, otherwise, children }: PasskeyFormProps) {
  return (
    <form method="post" action={action} data-passkey={JSON.stringify(options)} hidden>
      {children}
      <input type="hidden" name="credential" />
      <button type="submit">{button}</button>
      <p role="alert" hidden>
        {otherwise}
      </p>
    </form>
  );
}

type TakenProps = {
  /** The path of the form; null for work that no one takes. */
  path: string | null;
  by: string | null;
  /** The name of the person who can take it; undefined for one who only reads. */
  taker: string | undefined;
};

/** Who has a piece of work, or the button with which a person takes it. */
export function Taken({ path, by, taker }: TakenProps) {
  if (by !== null) return <>{by}</>;
  if (path === null || taker === undefined) return null;
  return (
    <form method="post" action={path}>
      <input type="hidden" name="to" value={taker} />
      <button type="submit">Take it</button>
    </form>
  );
}
