import { z } from 'zod';
import { tryParseJson } from '../../shared/json.ts';
import { type AccountDeps, findOwner } from '../accounts/session.ts';
import type { FormInput, PageContent } from './define-route.ts';
import { Details } from './parts/card.tsx';
import { Back, Submit } from './parts/forms.tsx';

/** The characters of a form that is kept: it is sent again together with the sign-in. */
const maxLength = 4_000;

/** A form that was sent after the sign-in session had ended: what it does, its path, and its fields. */
const keptForm = z.strictObject({
  verb: z.string(),
  path: z.string(),
  fields: z.record(z.string(), z.string()),
});

const ownerOf = (accountId: string) => `kept form of ${accountId}`;

/** Returns a form encrypted for the sign-in of the same person. Nothing without a session, and for a long form. */
export async function keepForm(
  accounts: Pick<AccountDeps, 'accounts' | 'cipher'>,
  token: string | undefined,
  form: { verb: string; path: string; fields: FormInput },
): Promise<string | undefined> {
  const owner = token === undefined ? undefined : await findOwner(accounts, token);
  const text = JSON.stringify(form);
  return owner === undefined || text.length > maxLength
    ? undefined
    : accounts.cipher.encrypt(text, ownerOf(owner));
}

/** The field that carries a kept form through the sign-in. */
export function KeptField({ kept }: { kept: string | undefined }) {
  return kept === undefined || kept === '' ? null : <input type="hidden" name="kept" value={kept} />;
}

/** Returns the page that sends the kept form of a person again, with all its fields; undefined for the form of another person. */
export function keptFormPage(
  { cipher }: Pick<AccountDeps, 'cipher'>,
  accountId: string,
  kept: string,
): PageContent | undefined {
  const text = kept === '' ? undefined : cipher.decrypt(kept, ownerOf(accountId));
  const form = keptForm.safeParse(text === undefined ? undefined : tryParseJson(text));
  if (!form.success) return undefined;
  const { verb, path, fields } = form.data;
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  const isTyped = (value: string) => /\s/.test(value);
  return {
    title: `${verb}: what you typed`,
    body: (
      <>
        <p>
          Your sign-in had ended before the form was sent. Nothing was changed. Check it, and send it again.
        </p>
        <form class="form card" method="post" action={path}>
          {given.map(([name, value]) =>
            isTyped(value) ? (
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
        <Details lines={[['Page', path], ...given.filter(([, value]) => !isTyped(value))]} />
        <Back path="/console" text="Go back without sending" />
      </>
    ),
  };
}
