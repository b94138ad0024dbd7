import { type Command, Option } from 'commander';
import { merchantScopes } from '../../../contract/merchant/merchant-api.ts';
import {
  type MerchantKeyView,
  merchantKeyList,
  merchantKeySecret,
  merchantKeyView,
} from '../../../contract/staff/merchant-key.ts';
import { addGroup, configurationHelp } from '../../command-options.ts';
import { pathSegment } from '../../service/admin-client.ts';
import type { StaffFlags } from '../../staff/staff-client.ts';
import { printAnswer, printJson, printRows, showTime } from '../../terminal/output.ts';
import { type MerchantDeps, registerEndpoints } from './endpoints.ts';

type CreateOptions = StaffFlags & { scope: string[] };

/** Adds the commands for the keys of merchants' own systems. */
export function registerKeys(merchant: Command, deps: MerchantDeps): void {
  const { addAction } = addGroup(merchant, {
    path: 'merchant keys',
    description: "keys of merchants' own systems for the API /merchant/v1",
    examples: ['create demo-shop'],
  });
  const add = (usage: string, description: string, example: string) =>
    addAction({ usage, description, examples: [example], more: `\n${configurationHelp}` });

  add(
    'create <merchant>',
    'create a key and print it, once',
    'create demo-shop --scope payments:read events:read',
  )
    .addOption(
      new Option('--scope <scope...>', 'what the key may do; payers:read shows whole phone numbers')
        .choices(merchantScopes)
        .default(['payments:read', 'events:read']),
    )
    .action((merchantId: string, options: CreateOptions) => createKey(deps, merchantId, options));

  add('list', 'list the keys of all merchants, with their last use', 'list').action((options: StaffFlags) =>
    listKeys(deps, options),
  );

  add('revoke <id>', 'revoke a key: its next request is refused', 'revoke mk_01example').action(
    async (id: string, options: StaffFlags) => {
      const client = await deps.staffClient(options);
      const answer = await client.post(`/merchant-keys/${pathSegment(id)}/revoke`, merchantKeyView);
      printAnswer(deps.stdout, options, answer, `revoked ${answer.id} of ${answer.merchantId}`);
    },
  );
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

async function listKeys(deps: MerchantDeps, options: StaffFlags): Promise<void> {
  const answer = await (await deps.staffClient(options)).get('/merchant-keys', merchantKeyList);
  if (options.json) return printJson(deps.stdout, answer);
  printRows(deps, answer, {
    none: 'no keys',
    head: ['id', 'merchant', 'scopes', 'created (UTC)', 'last used (UTC)', 'state'],
    cells,
  });
}

function cells({ id, merchantId, scopes, createdAt, lastUsedAt, revokedAt }: MerchantKeyView): string[] {
  const show = (text: string | null) => (text === null ? '-' : showTime(Date.parse(text)));
  const state = revokedAt === null ? 'active' : `revoked ${show(revokedAt)}`;
  return [id, merchantId, scopes.join(' '), show(createdAt), show(lastUsedAt), state];
}

/** Adds `dialtill merchant`: what merchants' own systems use. */
export function registerMerchant(program: Command, deps: MerchantDeps): void {
  const merchant = program.command('merchant');
  registerEndpoints(merchant, deps);
  registerKeys(merchant, deps);
}
