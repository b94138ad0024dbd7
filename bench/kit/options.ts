import { parseArgs } from 'node:util';

type Option = { type: 'string'; default?: string } | { type: 'boolean'; default?: boolean };
type Options = Readonly<Record<string, Option>>;

/** The value of each option; `undefined` for an option without a default. */
type Values<Given extends Options> = {
  [Name in keyof Given]:
    | (Given[Name] extends { type: 'string' } ? string : boolean)
    | (Given[Name] extends { default: string | boolean } ? never : undefined);
};

/**
 * Parses the options of a benchmark. With `--help`, prints the usage and exits with 0; with an unknown option or an option
 * without its value, prints the error and the usage and exits with 2.
 *
 * @param command the npm command, such as `npm run bench:ussd --`.
 */
export function parseOptions<const Given extends Options>(command: string, options: Given): Values<Given> {
  const help = { help: { type: 'boolean', default: false } } as const;
  try {
    const values: Record<string, unknown> = parseArgs({ options: { ...options, ...help } }).values;
    if (values.help !== true) return values as Values<Given>;
    process.stdout.write(usage(command, options));
    process.exit(0);
  } catch (fault) {
    process.stderr.write(
      `${fault instanceof Error ? fault.message : String(fault)}\n${usage(command, options)}`,
    );
    process.exit(2);
  }
}

function usage(command: string, options: Options): string {
  const lines = Object.entries(options).map(([name, { type, default: standard }]) => {
    const value = type === 'string' ? ' <value>' : '';
    return `  --${name}${value}${typeof standard === 'string' && standard !== '' ? ` (default: ${standard})` : ''}`;
  });
  return `Usage: ${command} [options]\n${lines.join('\n')}\n`;
}
