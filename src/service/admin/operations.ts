import type { Write } from '../../sqlite/store.ts';
import type { ServiceContext } from '../context.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { FeeSchedules } from '../fee/fee-store.ts';
import { type ApiError, apiError } from '../http/response.ts';
import { createKeyOperations } from '../key/key-operations.ts';
import type { MerchantRow, PlatformRow, SenderRow } from '../merchant/merchant-store.ts';
import { type DayOfMerchant, readDayCharges } from '../statement-query.ts';
import { adminSessionStore } from './admin-store.ts';

/** The senders that networks show: 3 to 11 letters, digits and inner spaces, with at least one letter. */
const senderPattern = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 ]{1,9}[A-Za-z0-9]$/;

export type AdminOperations = ReturnType<typeof createAdminOperations>;

/** Creates the operations of the admin API, for its routes and for programs that embed the service. */
export function createAdminOperations(deps: ServiceContext & { schedules: FeeSchedules }) {
  const { store, merchants, keys, sessions, reviews, audit, schedules, clock, ids } = deps;

  async function changeMerchant(
    merchantId: string,
    change: (found: MerchantRow) => { row: MerchantRow; write: Write },
    extraWrites: ExtraWrites<MerchantRow>,
  ): Promise<MerchantRow | ApiError> {
    const found = await merchants.find(merchantId);
    if (!found) return apiError('merchant_not_found');
    const { row, write } = change(found);
    await store.apply([write, ...extraWrites(row)]);
    return row;
  }

  return {
    /** Creates a merchant with one platform. The merchant is not approved for offline collections yet. */
    async createMerchant(
      { name }: { name: string },
      extraWrites: ExtraWrites<MerchantRow> = noExtraWrites,
    ): Promise<MerchantRow> {
      const createdAt = clock.now();
      const row: MerchantRow = { id: ids.next('mch'), name, offlineApprovedAt: null, createdAt };
      const platform: PlatformRow = { id: ids.next('plt'), merchantId: row.id, name, createdAt };
      const writes = [merchants.insert(row), merchants.insertPlatform(platform), ...extraWrites(row)];
      if (await store.apply(writes)) return row;
      throw new Error(`the identifier ${row.id} of a new merchant is already in use`);
    },
    findMerchant: merchants.find,
    listMerchants: merchants.list,
    /** Approves a merchant for offline collections. A second approval does not change the time of the first. */
    approveOffline(merchantId: string, extraWrites: ExtraWrites<MerchantRow> = noExtraWrites) {
      const now = clock.now();
      const approve = (found: MerchantRow) => ({
        row: { ...found, offlineApprovedAt: found.offlineApprovedAt ?? now },
        write: merchants.approve({ id: merchantId, at: now }),
      });
      return changeMerchant(merchantId, approve, extraWrites);
    },
    /** Withdraws a merchant's approval for offline collections. New sessions are rejected; open ones continue. */
    withdrawOffline(merchantId: string, extraWrites: ExtraWrites<MerchantRow> = noExtraWrites) {
      const withdraw = (found: MerchantRow) => ({
        row: { ...found, offlineApprovedAt: null },
        write: merchants.withdraw({ id: merchantId }),
      });
      return changeMerchant(merchantId, withdraw, extraWrites);
    },

    /** Creates another platform of a merchant, such as a website, with keys and a webhook URL of its own. */
    async createPlatform(
      request: { merchantId: string; name: string },
      extraWrites: ExtraWrites<PlatformRow> = noExtraWrites,
    ): Promise<PlatformRow | ApiError> {
      if (!(await merchants.find(request.merchantId))) return apiError('merchant_not_found');
      const row: PlatformRow = { id: ids.next('plt'), ...request, createdAt: clock.now() };
      if (await store.apply([merchants.insertPlatform(row), ...extraWrites(row)])) return row;
      throw new Error(`the identifier ${row.id} of a new platform is already in use`);
    },
    listPlatforms: merchants.platforms,

    /** Approves an SMS sender for a merchant. A second approval does not change the time of the first. */
    async approveSender(
      merchantId: string,
      name: string,
      extraWrites: ExtraWrites<SenderRow> = noExtraWrites,
    ): Promise<SenderRow | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      if (!senderPattern.test(name)) return apiError('invalid_sender', { param: 'name' });
      const approved = await merchants.findSender(merchantId, name);
      const sender = approved ?? { merchantId, name, approvedAt: clock.now() };
      await store.apply([merchants.approveSender(sender), ...extraWrites(sender)]);
      return sender;
    },
    /** Withdraws the approval of an SMS sender for future OTP requests. A name without an approval is not an error. */
    async removeSender(
      merchantId: string,
      name: string,
      extraWrites: ExtraWrites<string> = noExtraWrites,
    ): Promise<string | ApiError> {
      if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
      await store.apply([merchants.removeSender(merchantId, name), ...extraWrites(name)]);
      return name;
    },
    listSenders: merchants.senders,

    ...createKeyOperations(deps),
    listKeys: keys.list,

    fees: schedules,

    findSession: sessions.findAny,
    findReview: reviews.find,
    adminSessions: adminSessionStore(store),
    listDayCharges: (day: DayOfMerchant) => readDayCharges(store, day),

    listActions: audit.list,
  };
}
