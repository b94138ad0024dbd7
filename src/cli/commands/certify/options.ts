import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { readGateway } from '../channels.ts';

/** The options of the command line. */
export type CertifyFlags = {
  all?: true;
  config?: string;
  gateway?: string;
  offline?: true;
  msisdn?: string;
  verbose?: true;
  json?: true;
};

/** The validated options: every supported aggregator, or one channel of a configuration. */
export type CertifyRequest = { msisdn: Msisdn } & (
  | { all: true }
  | { all: false; channel: string; offline: boolean; gatewayUrl: string | undefined }
);

type Read<T> = { ok: true; value: T } | { ok: false; message: string };

/** A number that is not in use. */
export const testNumber = '0240000000';

const invalid = (message: string) => ({ ok: false, message }) as const;

/** Validates the command line. The message of a failure describes the expected value. */
export function readCertifyRequest(channel: string | undefined, flags: CertifyFlags): Read<CertifyRequest> {
  const { all, config, gateway, offline } = flags;
  const msisdn = parseMsisdn(flags.msisdn ?? testNumber);
  if (!msisdn)
    return invalid(
      `--msisdn: expected a Ghanaian mobile number such as ${testNumber}, found ${flags.msisdn}`,
    );
  if (all) {
    const isAlone = channel === undefined && config === undefined && gateway === undefined && !offline;
    if (!isAlone)
      return invalid(
        '--all certifies every supported aggregator: remove the channel, --config, --gateway and --offline',
      );
    return { ok: true, value: { all, msisdn } };
  }
  if (channel === undefined) return invalid('expected the id of a configured channel, or --all');
  if (offline && gateway !== undefined) return invalid('choose one of --offline and --gateway');
  const read = gateway === undefined ? undefined : readGateway(gateway);
  if (read?.ok === false) return read;
  return {
    ok: true,
    value: { all: false, channel, offline: offline ?? false, gatewayUrl: read?.value, msisdn },
  };
}
