import { checkNowInput, noteInput } from '../../contract/staff.ts';
import { createOperation, type StaffOperation } from './operation.ts';
import { addNote } from './operations/add-note.ts';
import { checkNow } from './operations/check-now.ts';

/** Every operation of support staff. The routes of `/staff/v1` are created from this list. */
export const staffOperations: readonly StaffOperation[] = [
  createOperation({
    method: 'POST',
    path: '/collections/:id/check',
    input: checkNowInput,
    run: checkNow,
  }),
  createOperation({ method: 'POST', path: '/collections/:id/notes', input: noteInput, run: addNote }),
];
