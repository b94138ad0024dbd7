import { z } from 'zod';
import { tryParseJson } from '../../shared/json.ts';
import type { FormInput, PageContent } from './define-route.ts';
import { Back } from './parts/forms.tsx';

/** Fields of a form that are never kept: they prove who a person is. */
const secrets: ReadonlySet<string> = new Set(['password', 'code', 'credential', 'kept']);

/** A form that was sent after the sign-in session had ended: its path below the console, and its fields. */
const keptForm = z.strictObject({
  path: z.string().regex(/^\/console(\/[\w-]{1,64}){1,5}$/),
  fields: z.record(z.string().max(64), z.string().max(10_000)),
});

/** Returns a form as text, for the page of the sign-in; undefined for one without a field that a person typed. */
export function keepForm(path: string, fields: FormInput): string | undefined {
  const own = Object.entries(fields).filter(([name]) => !secrets.has(name));
  const kept = keptForm.safeParse({ path, fields: Object.fromEntries(own) });
  return kept.success && own.some(([, text]) => text.trim() !== '') ? JSON.stringify(kept.data) : undefined;
}

/** The field that carries a kept form through the sign-in. */
export function KeptField({ kept }: { kept: string | undefined }) {
  return kept === undefined ? null : <input type="hidden" name="kept" value={kept} />;
}

/** Returns the page that sends a kept form again, with its texts; undefined for a text that is no kept form. */
export function keptFormPage(text: string): PageContent | undefined {
  if (text === '') return undefined;
  const kept = keptForm.safeParse(tryParseJson(text));
  if (!kept.success) return undefined;
  const { path, fields } = kept.data;
  return {
    title: 'Send what you typed',
    body: (
      <>
        <p>
          Your sign-in had ended before the form was sent. Nothing was changed. Check it, and send it again.
        </p>
        <form class="form card" method="post" action={path}>
          {Object.entries(fields).map(([name, value]) =>
            /\s/.test(value) ? (
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
          <button type="submit" class="primary">
            Send it now
          </button>
        </form>
        <Back path="/console" text="Go back without sending" />
      </>
    ),
  };
}
