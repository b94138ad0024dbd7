import { type Command, Option } from 'commander';
import { merchantScopes } from '../../../contract/merchant/merchant-api.ts';
import {
  type MerchantKeyView,
  merchantKeyList,
  merchantKeySecret,
  merchantKeyView,
} from '../../../contract/staff/merchant-key.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { printAnswer, printJson, showTime, table } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import type { StaffFlags } from '../ledger/types.ts';
import { addStaffOptions, type MerchantDeps } from './staff-options.ts';

type CreateOptions = StaffFlags & { scope: string[] };

/** Adds the commands for the keys of merchants' own systems. */
export function registerKeys(merchant: Command, deps: MerchantDeps): void {
  const keys = merchant
    .command('keys')
    .description("keys of merchants' own systems for the API /merchant/v1")
    .addHelpText('after', '\nExample:\n  $ dialtill merchant keys create demo-shop');

  addStaffOptions(
    keys
      .command('create <merchant>')
      .description('create a key and print it, once')
      .addOption(
        new Option('--scope <scope...>', 'what the key may do; payers:read shows whole phone numbers')
          .choices(merchantScopes)
          .default(['payments:read', 'events:read']),
      ),
    'keys create demo-shop --scope payments:read events:read',
  ).action((merchantId: string, options: CreateOptions) => createKey(deps, merchantId, options));

  addStaffOptions(
    keys.command('list').description('list the keys of all merchants, with their last use'),
    'keys list',
  ).action((options: StaffFlags) => listKeys(deps, options));

  addStaffOptions(
    keys.command('revoke <id>').description('revoke a key: its next request is refused'),
    'keys revoke mk_01example',
  ).action(async (id: string, options: StaffFlags) => {
    const client = await deps.staffClient(options);
    const answer = await client.post(`/merchant-keys/${pathSegment(id)}/revoke`, merchantKeyView);
    printAnswer(deps.stdout, options, answer, `revoked ${answer.id} of ${answer.merchantId}`);
  });
}

async function createKey({ stdout, staffClient }: MerchantDeps, merchantId: string, options: CreateOptions) {
  const client = await staffClient(options);
  const answer = await client.post('/merchant-keys', merchantKeySecret, {
    merchantId,
    scopes: options.scope,
  });
  const { key, secret } = answer;
  const lines = [`id   ${key.id}  ${key.scopes.join(' ')}`, `key  ${secret}`, 'The key is not shown again.'];
  printAnswer(stdout, options, answer, lines.join('\n'));
}

async function listKeys({ stdout, noColor, staffClient }: MerchantDeps, options: StaffFlags): Promise<void> {
  const answer = await (await staffClient(options)).get('/merchant-keys', merchantKeyList);
  if (options.json) return printJson(stdout, answer);
  if (answer.data.length === 0) return stdout.write('no keys\n');
  const head = ['id', 'merchant', 'scopes', 'created (UTC)', 'last used (UTC)', 'state'];
  stdout.write(table(paintFor(stdout, noColor), [head, ...answer.data.map(cells)]));
}

function cells({ id, merchantId, scopes, createdAt, lastUsedAt, revokedAt }: MerchantKeyView): string[] {
  const show = (text: string | null) => (text === null ? '-' : showTime(Date.parse(text)));
  const state = revokedAt === null ? 'active' : `revoked ${show(revokedAt)}`;
  return [id, merchantId, scopes.join(' '), show(createdAt), show(lastUsedAt), state];
}
