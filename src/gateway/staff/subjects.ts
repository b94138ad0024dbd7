import type { CollectionRow } from '../collection/collection.ts';
import type { NotificationEndpoint } from '../notify/endpoint-store.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { MerchantKey } from './merchant-key-store.ts';
import {
  type EndpointReadDeps,
  type OperationRefusal,
  refuse,
  type StaffDeps,
  type Subject,
} from './operation.ts';

export const collectionSubject: Subject<StaffDeps, CollectionRow> = {
  async find({ collections, livemode }, { id }) {
    const row = await collections.find(id);
    return row?.livemode === livemode ? row : undefined;
  },
  unknown: ({ id }) => unknownCollection(id),
};

/** Returns the refusal for a collection that does not exist, or that the actor may not see. */
export function unknownCollection(id: string): OperationRefusal {
  return refuse('not_found', `no collection ${id}: find its id with "dialtill ledger find"`);
}

export const unplacedSubject: Subject<StaffDeps, UnplacedPayment> = {
  find: ({ unplaced }, { id }) => unplaced.find(id),
  unknown: ({ id }) => unknownUnplaced(id),
};

/** Returns the refusal for an unplaced payment that does not exist, or that the actor may not see. */
export function unknownUnplaced(id: string): OperationRefusal {
  return refuse('not_found', `no unplaced payment ${id}: find its id with "dialtill unplaced list"`);
}

export const notificationsOff = refuse(
  'conflict',
  'notifications are off: set notify.secretsKey in the configuration, and restart',
);

/** The endpoint whose id is in the path, unless it is removed. */
export const endpointSubject: Subject<EndpointReadDeps, NotificationEndpoint> = {
  async find({ notifications, livemode }, { id }) {
    if (!notifications) return notificationsOff;
    const endpoint = await notifications.endpoints.find(id);
    return endpoint?.livemode === livemode && endpoint.disabledReason !== 'removed' ? endpoint : undefined;
  },
  unknown: ({ id }) =>
    refuse('not_found', `no endpoint ${id}: list them with "dialtill merchant endpoints list"`),
};

export const keySubject: Subject<StaffDeps, MerchantKey> = {
  async find({ merchantKeys, livemode }, { id }) {
    const key = await merchantKeys.find(id);
    return key?.livemode === livemode ? key : undefined;
  },
  unknown: ({ id }) => refuse('not_found', `no key ${id}: list them with "dialtill merchant keys list"`),
};

type OfMerchant = { merchantId: string | null };

/** The merchant that the input names; null for all merchants. */
export const merchantSubject: Subject<StaffDeps, OfMerchant, OfMerchant> = {
  find: async ({ hasMerchant }, { input: { merchantId } }) =>
    merchantId === null || hasMerchant(merchantId) ? { merchantId } : undefined,
  unknown: ({ input: { merchantId } }) =>
    refuse('not_found', `no merchant ${merchantId} in the configuration`),
};
