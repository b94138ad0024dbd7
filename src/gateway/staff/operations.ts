import type { Operation } from './operation.ts';
import {
  acceptDecider,
  addAccount,
  changeRole,
  disableAccount,
  enableAccount,
  listAccounts,
  listNewDeciders,
  resetAccount,
} from './operations/accounts.ts';
import { blockNumber, blockOfCollection, unblockNumber, unblockOfCollection } from './operations/block.ts';
import { closeDay } from './operations/close-day.ts';
import { addNote, assign, assignUnplaced, checkNow, reveal } from './operations/collections.ts';
import { listDeliveries, replayNotifications, resend, resendOfCollection } from './operations/deliveries.ts';
import {
  addEndpoint,
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
} from './operations/endpoints.ts';
import { createMerchantKey, listMerchantKeys, revokeMerchantKey } from './operations/merchant-keys.ts';
import {
  approveProposal,
  listProposals,
  refuseProposal,
  showProposal,
  withdrawProposal,
} from './operations/proposals.ts';
import { listUnplacedPayments, showUnplaced } from './operations/read-unplaced.ts';
import { reload } from './operations/reload.ts';
import { listReviews, propose, proposeUnplaced, showReview } from './operations/reviews.ts';
import { explainDifference, importStatement, readDayStatement } from './operations/statements.ts';

/** Every operation. The routes of `/staff/v1` are created from this list. */
export const staffOperations: readonly Operation[] = [
  ...[checkNow, addNote, assign, reveal, blockOfCollection, unblockOfCollection, resendOfCollection],
  ...[listReviews, showReview, propose],
  ...[listProposals, showProposal, approveProposal, withdrawProposal, refuseProposal],
  ...[listUnplacedPayments, showUnplaced, proposeUnplaced, assignUnplaced],
  ...[blockNumber, unblockNumber],
  ...[closeDay, importStatement, readDayStatement, explainDifference],
  ...[listMerchantKeys, createMerchantKey, revokeMerchantKey],
  ...[listAccounts, addAccount, resetAccount, disableAccount, enableAccount, changeRole],
  ...[listNewDeciders, acceptDecider],
  ...[listEndpoints, showEndpoint, addEndpoint, changeEndpoint, rotateEndpoint, removeEndpoint],
  ...[enableEndpoint, disableEndpoint, testEndpoint, listDeliveries, resend, replayNotifications],
  reload,
];
