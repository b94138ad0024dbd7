import { assignInput, blockInput, checkNowInput, noteInput, unblockInput } from '../../contract/staff.ts';
import { createOperation, type StaffOperation } from './operation.ts';
import { addNote } from './operations/add-note.ts';
import { assign } from './operations/assign.ts';
import { blockNumber, unblockNumber } from './operations/block.ts';
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
  createOperation({ method: 'POST', path: '/collections/:id/assign', input: assignInput, run: assign }),
  createOperation({ method: 'POST', path: '/blocks', input: blockInput, run: blockNumber }),
  createOperation({ method: 'POST', path: '/blocks/remove', input: unblockInput, run: unblockNumber }),
];
