import { closeDayInput } from '../../contract/day.ts';
import {
  addEndpointInput,
  changeEndpointInput,
  listDeliveriesInput,
  replayInput,
  resendInput,
} from '../../contract/endpoint.ts';
import { createKeyInput } from '../../contract/merchant-api.ts';
import { noInput, proposeInput, reviewQuery } from '../../contract/review.ts';
import {
  assignInput,
  blockInput,
  blockOfCollectionInput,
  checkNowInput,
  noteInput,
  resendOfCollectionInput,
  revealInput,
  unblockInput,
  unblockOfCollectionInput,
} from '../../contract/staff.ts';
import { listUnplacedInput, proposeUnplacedInput } from '../../contract/unplaced.ts';
import { accountOperations } from './account-operations.ts';
import { createOperation, type StaffOperation } from './operation.ts';
import { addNote } from './operations/add-note.ts';
import { assign, assignUnplaced } from './operations/assign.ts';
import { blockNumber, unblockNumber } from './operations/block.ts';
import { blockOfCollection, unblockOfCollection } from './operations/block-of-collection.ts';
import { checkNow } from './operations/check-now.ts';
import { closeDay } from './operations/close-day.ts';
import { approveProposal, endProposal, showProposal } from './operations/decide-proposal.ts';
import { listDeliveries, resend } from './operations/deliveries.ts';
import { disableEndpoint } from './operations/disable-endpoint.ts';
import {
  addEndpoint,
  changeEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateEndpoint,
  testEndpoint,
} from './operations/endpoints.ts';
import { createKey, listKeys, revokeKey } from './operations/merchant-keys.ts';
import { propose } from './operations/propose.ts';
import { proposeUnplaced } from './operations/propose-unplaced.ts';
import { listReviews, showReview } from './operations/read-reviews.ts';
import { listUnplacedPayments, showUnplaced } from './operations/read-unplaced.ts';
import { reload } from './operations/reload.ts';
import { replay } from './operations/replay.ts';
import { resendOfCollection } from './operations/resend-of-collection.ts';
import { reveal } from './operations/reveal.ts';

/** Every operation of support staff. The routes of `/staff/v1` are created from this list. */
export const staffOperations: readonly StaffOperation[] = [
  createOperation({
    method: 'POST',
    path: '/collections/:id/check',
    input: checkNowInput,
    run: checkNow,
  }),
  createOperation({ method: 'POST', path: '/collections/:id/notes', input: noteInput, run: addNote }),
  createOperation({ method: 'GET', path: '/reviews', input: reviewQuery, run: listReviews }),
  createOperation({ method: 'GET', path: '/reviews/:id', input: noInput, run: showReview }),
  createOperation({
    method: 'POST',
    path: '/reviews/:id/proposals',
    input: proposeInput,
    run: propose,
  }),
  createOperation({
    method: 'GET',
    path: '/unplaced',
    input: listUnplacedInput,
    run: listUnplacedPayments,
  }),
  createOperation({ method: 'GET', path: '/unplaced/:id', input: noInput, run: showUnplaced }),
  createOperation({
    method: 'POST',
    path: '/unplaced/:id/proposals',
    input: proposeUnplacedInput,
    run: proposeUnplaced,
  }),
  createOperation({ method: 'POST', path: '/unplaced/:id/assign', input: assignInput, run: assignUnplaced }),
  createOperation({ method: 'GET', path: '/proposals/:id', input: noInput, run: showProposal }),
  createOperation({
    method: 'POST',
    path: '/proposals/:id/approve',
    input: noInput,
    run: approveProposal,
  }),
  createOperation({
    method: 'POST',
    path: '/proposals/:id/withdraw',
    input: noInput,
    run: endProposal('withdrawn'),
  }),
  createOperation({
    method: 'POST',
    path: '/proposals/:id/refuse',
    input: noInput,
    run: endProposal('refused'),
  }),
  createOperation({ method: 'POST', path: '/collections/:id/assign', input: assignInput, run: assign }),
  createOperation({ method: 'POST', path: '/collections/:id/reveal', input: revealInput, run: reveal }),
  createOperation({
    method: 'POST',
    path: '/collections/:id/block',
    input: blockOfCollectionInput,
    run: blockOfCollection,
  }),
  createOperation({
    method: 'POST',
    path: '/collections/:id/unblock',
    input: unblockOfCollectionInput,
    run: unblockOfCollection,
  }),
  createOperation({
    method: 'POST',
    path: '/collections/:id/resend',
    input: resendOfCollectionInput,
    run: resendOfCollection,
  }),
  createOperation({ method: 'POST', path: '/blocks', input: blockInput, run: blockNumber }),
  createOperation({ method: 'POST', path: '/blocks/remove', input: unblockInput, run: unblockNumber }),
  createOperation({ method: 'POST', path: '/days/:id/close', input: closeDayInput, run: closeDay }),
  createOperation({ method: 'GET', path: '/merchant-keys', input: noInput, run: listKeys }),
  createOperation({ method: 'POST', path: '/merchant-keys', input: createKeyInput, run: createKey }),
  createOperation({ method: 'POST', path: '/merchant-keys/:id/revoke', input: noInput, run: revokeKey }),
  ...Object.values(accountOperations),
  createOperation({ method: 'GET', path: '/endpoints', input: noInput, run: listEndpoints }),
  createOperation({ method: 'POST', path: '/endpoints', input: addEndpointInput, run: addEndpoint }),
  createOperation({
    method: 'POST',
    path: '/endpoints/:id/change',
    input: changeEndpointInput,
    run: changeEndpoint,
  }),
  createOperation({ method: 'POST', path: '/endpoints/:id/rotate', input: noInput, run: rotateEndpoint }),
  createOperation({ method: 'POST', path: '/endpoints/:id/remove', input: noInput, run: removeEndpoint }),
  createOperation({ method: 'POST', path: '/endpoints/:id/enable', input: noInput, run: enableEndpoint }),
  createOperation({ method: 'POST', path: '/endpoints/:id/disable', input: noInput, run: disableEndpoint }),
  createOperation({ method: 'POST', path: '/endpoints/:id/test', input: noInput, run: testEndpoint }),
  createOperation({
    method: 'GET',
    path: '/endpoints/:id/deliveries',
    input: listDeliveriesInput,
    run: listDeliveries,
  }),
  createOperation({ method: 'POST', path: '/endpoints/:id/resend', input: resendInput, run: resend }),
  createOperation({ method: 'POST', path: '/endpoints/:id/replay', input: replayInput, run: replay }),
  createOperation({ method: 'POST', path: '/reload', input: noInput, run: reload }),
];
