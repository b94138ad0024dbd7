import { findWeakness } from '../../shared/secret-strength.ts';

/** The secrets of a configuration. Parts of the wrong type are absent. */
type Secrets = {
  merchants: readonly {
    webhookSecrets: readonly (string | undefined)[];
    lookups?: { secret?: string | undefined } | null | undefined;
  }[];
  channels: readonly { secret?: string | undefined; previousSecret?: string | undefined }[];
};

/** A secret of the configuration that can be guessed. `message` states the reason and the remedy, never the value. */
export type WeakSecret = { path: readonly (string | number)[]; message: string };

type Setting = { path: WeakSecret['path']; value: string | undefined; command: string };

/** Returns each secret that can be guessed: a live environment rejects them, a test environment warns about them. */
export function findWeakSecrets(config: Secrets): WeakSecret[] {
  return listSettings(config).flatMap(({ path, value, command }) => {
    const weakness = value === undefined ? undefined : findWeakness(value);
    if (weakness === undefined) return [];
    return {
      path,
      message: `expected a random secret, such as the output of ${command}; this one ${weakness}`,
    };
  });
}

function listSettings({ merchants, channels }: Secrets): Setting[] {
  const ofMerchants = merchants.flatMap(({ webhookSecrets, lookups }, i): Setting[] => [
    ...webhookSecrets.map((value, j) => ({
      path: ['merchants', i, 'webhookSecrets', j],
      value,
      command: '"openssl rand -base64 32"',
    })),
    {
      path: ['merchants', i, 'lookups', 'secret'],
      value: lookups?.secret,
      command: '"echo whsec_$(openssl rand -base64 32)"',
    },
  ]);
  // A part of a path has no +, / or =.
  const command = '"openssl rand -hex 32"';
  const ofChannels = channels.flatMap(({ secret, previousSecret }, i): Setting[] => [
    { path: ['channels', i, 'secret'], value: secret, command },
    { path: ['channels', i, 'previousSecret'], value: previousSecret, command },
  ]);
  return [...ofMerchants, ...ofChannels];
}
