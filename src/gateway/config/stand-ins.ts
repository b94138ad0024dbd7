import { createHash } from 'node:crypto';

/** A path in the configuration. */
type Path = readonly (string | number)[];

/** Returns a value in place of a secret that is not set; `undefined` for a setting that is no secret. */
export type StandIn = (path: Path) => string | undefined;

/**
 * Returns values that have the form of secrets, for commands that need the configuration and none of its secrets. Each setting
 * has its own value, because some checks require different secrets. A gateway that serves payers must never use them.
 *
 * @param environment the mode of the merchants' keys.
 */
export function standInsFor(environment: 'test' | 'live'): StandIn {
  return (path) => {
    const digest = createHash('sha256').update(path.join('.')).digest();
    const [section, , setting, detail] = path;
    if (section === 'merchants') {
      if (setting === 'key') return `sk_${environment}_${digest.toString('hex')}`;
      const isSecret = setting === 'webhookSecrets' || (setting === 'lookups' && detail === 'secret');
      return isSecret ? `whsec_${digest.toString('base64')}` : undefined;
    }
    if (section === 'channels' && (setting === 'secret' || setting === 'previousSecret'))
      return digest.toString('hex');
    if (path.join('.') === 'database.url') return 'postgres://localhost/dialtill';
    const isKey = ['ledger.sealKey', 'notify.secretsKey', 'console.secretsKey'].includes(path.join('.'));
    return isKey ? digest.toString('base64') : undefined;
  };
}
