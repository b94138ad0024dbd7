import type { Child } from 'hono/jsx';
import type { StaffDeps, StaffFailureCode } from '../../staff/operation.ts';
import { type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';

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
