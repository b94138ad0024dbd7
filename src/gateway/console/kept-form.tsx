import { z } from 'zod';
import { tryParseJson } from '../../shared/json.ts';
import { type AccountDeps, findOwner } from '../accounts/session.ts';
import type { FormInput, PageContent } from './define-route.ts';
import { Details } from './parts/card.tsx';
import { Back, Submit } from './parts/forms.tsx';

/** The characters of a form that is kept: it is sent again together with the sign-in. */
const maxLength = 4_000;

/** A form that was sent after the sign-in session had ended, or before the password: what it does, its path, and its fields. */
const keptForm = z.strictObject({
  verb: z.string(),
  path: z.string(),
  fields: z.record(z.string(), z.string()),
});

const ownerOf = (accountId: string) => `kept form of ${accountId}`;

type Form = { verb: string; path: string; fields: FormInput };

/** Returns a form encrypted for the sign-in of the same person. Nothing without a session, and for a long form. */
export async function keepForm(
  accounts: Pick<AccountDeps, 'accounts' | 'cipher'>,
  token: string | undefined,
  form: Form,
): Promise<string | undefined> {
  const owner = token === undefined ? undefined : await findOwner(accounts, token);
  return owner === undefined ? undefined : keepFormOf(accounts, owner, form);
}

/** Returns a form encrypted for an account. Nothing for a long form. */
export function keepFormOf(
  { cipher }: Pick<AccountDeps, 'cipher'>,
  accountId: string,
  form: Form,
): string | undefined {
  const text = JSON.stringify(form);
  return text.length > maxLength ? undefined : cipher.encrypt(text, ownerOf(accountId));
}

/** The field that carries a kept form through the sign-in. */
export function KeptField({ kept }: { kept: string | undefined }) {
  return kept === undefined || kept === '' ? null : <input type="hidden" name="kept" value={kept} />;
}

/** The fields that people write; the other ones are choices. */
const written = new Set(['text', 'reason', 'evidence', 'reference', 'name', 'url', 'address']);

/**
 * Returns the page that sends the kept form of a person again, with all its fields; undefined for the form of another person.
 *
 * @param why it was not sent: a sentence.
 */
export function keptFormPage(
  { cipher }: Pick<AccountDeps, 'cipher'>,
  { accountId, kept, why }: { accountId: string; kept: string; why: string },
): PageContent | undefined {
  const text = kept === '' ? undefined : cipher.decrypt(kept, ownerOf(accountId));
  const form = keptForm.safeParse(text === undefined ? undefined : tryParseJson(text));
  if (!form.success) return undefined;
  const { verb, path, fields } = form.data;
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  const isTyped = ([name, value]: readonly [string, string]) => written.has(name) || /\s/.test(value);
  return {
    title: `${verb}: what you typed`,
    body: (
      <>
        <p>{why} Nothing was changed. Check it, and send it again.</p>
        <form class="form card" method="post" action={path}>
          {given.map(([name, value]) =>
            isTyped([name, value]) ? (
              <div class="field">
                <label for={`kept-${name}`}>{name}</label>
                <textarea id={`kept-${name}`} name={name} rows={3}>
                  {value}
                </textarea>
              </div>
            ) : (
              <input type="hidden" name={name} value={value} />
            ),
          )}
          <Submit>{verb}</Submit>
        </form>
        <Details lines={[['Page', path], ...given.filter((one) => !isTyped(one))]} />
        <Back path="/console" text="Go back without sending" />
      </>
    ),
  };
}
