import type { EpochMs } from '../../shared/clock.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { Card } from './parts/card.tsx';
import { showMoment } from './parts/format.ts';
import { TextArea } from './parts/forms.tsx';
import type { NumberView } from './scope.ts';

/** A note of support staff about a payment. */
export type Note = { at: EpochMs; by: string; text: string };

/** Returns the notes about a payment, oldest first. */
export function listPaymentNotes(
  { actions }: Pick<CollectionRecord, 'actions'>,
  numbers: NumberView,
): Note[] {
  return actions
    .filter(({ action, result }) => action === 'note' && result !== 'refused')
    .map(({ at, actor, detail }) => ({ at, by: actor, text: numbers.text(String(JSON.parse(detail).text)) }));
}

type NotesProps = { id: string; notes: readonly Note[]; now: EpochMs; timeZone: string; mayWrite: boolean };

/** The notes about a payment, and the form for one more. */
export function Notes({ id, notes, now, timeZone, mayWrite }: NotesProps) {
  const title = (
    <>
      Notes <span class="muted">{notes.length}</span>
    </>
  );
  return (
    <Card id="notes" title={title}>
      <ol id="note-list" class="stack tight" data-part>
        {notes.map(({ at, by, text }) => (
          <li>
            <p>
              <b>{by}</b> <small>{showMoment(at, now, timeZone)}</small>
            </p>
            <p>
              {text
                .split(/(@[a-z][a-z0-9._-]*)/)
                .map((part) => (part.startsWith('@') ? <b>{part}</b> : part))}
            </p>
          </li>
        ))}
      </ol>
      {mayWrite && (
        <form id="note" data-part method="post" action={`/console/payments/${id}/notes`}>
          <TextArea
            id="text"
            label="Add a note"
            rows={2}
            value=""
            hint="@name mentions a person. Phone numbers are masked."
          />
          <button type="submit">Add the note</button>
        </form>
      )}
    </Card>
  );
}
