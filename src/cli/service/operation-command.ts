import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { Tolerant } from '../../contract/tolerant.ts';
import { type Paint, table } from '../terminal/output.ts';
import type { AdminQuery, SentOperation, ServiceClient } from './admin-client.ts';
import { addServicePageOptions } from './arguments.ts';
import {
  type CommandKit,
  formatIsoTime,
  type MerchantOptions,
  merchantOption,
  nextPageHint,
  readMerchantId,
} from './command-kit.ts';

type Parse = (text: string, previous: never) => unknown;

/** The option of a field. Whether it is required, and its choices, follow from the schema of the field. */
type FieldOption = readonly [flags: string, description: string, parse?: Parse];

type Fields = Readonly<Record<string, string>>;
type Options = MerchantOptions & { quiet?: true; live?: true; test?: true; reference?: string };

/** One call of a command: its parameters, the options, and how to colour. */
type Shown = { params: Fields; options: Options; paint: Paint };

type Row<Answer> = Answer extends { data: (infer One)[] } ? One : never;

/** The columns of a list: a field, or a function that returns the cell of a row. A field under a heading with `(UTC)` is a time. */
export type Columns<One> = Readonly<Record<string, (keyof One & string) | ((row: One) => string)>>;

type Output<Answer, Extended, Before> =
  | { show(answer: Extended, shown: Shown & { before: Before }): string }
  | {
      /** The line of an empty page. */
      empty: string;
      columns: Columns<Row<Answer>>;
      /** The line after the table. */
      hint?: string;
    };

type AnyOperation<Answer extends z.ZodType = z.ZodType> = SentOperation<Answer> & {
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
};

type OperationCommand<Answer extends z.ZodType, Extended, Before> = {
  /** The same operation of a merchant, which is sent when the environment has a merchant's key. */
  own?: AnyOperation<Answer>;
  /** The words below `dialtill service`, and the arguments: parameters of the path, and fields. */
  usage: string;
  summary: string;
  /** The words of an example after the group. */
  example: string;
  help?: string;
  /** Arguments that are parsed, or whose field has another name. */
  args?: Readonly<Record<string, { description?: string; parse?: Parse; field?: string }>>;
  /** Options by field. One that belongs to no field is used by `fields` or `show`. */
  options?: Readonly<Record<string, FieldOption | Option>>;
  /** Returns fields that follow from several options. */
  fields?(options: Options, client: ServiceClient): AdminQuery | Promise<AdminQuery>;
  /** Reads what the answer does not tell, before the operation is sent. */
  before?(client: ServiceClient, params: Fields): Promise<Before>;
  /** Adds to the answer what other operations return. */
  extend?(answer: Tolerant<z.infer<Answer>>, client: ServiceClient, params: Fields): Promise<Extended>;
} & Output<Tolerant<z.infer<Answer>>, Extended, Before>;

export type AddCommand = (service: Command, kit: CommandKit, readKey: () => string | undefined) => void;

/** Derives a command from an operation: path, arguments and options with their choices, pages, `--merchant`, `--json`, and help. */
export function operationCommand<
  Answer extends z.ZodType,
  Extended = Tolerant<z.infer<Answer>>,
  Before = undefined,
>(operation: AnyOperation<Answer>, spec: OperationCommand<Answer, Extended, Before>): AddCommand {
  const { usage, summary, example, help, args = {}, options = {} } = spec;
  const names = [...usage.matchAll(/<(\w+)>/g)].map(([, name]) => String(name));
  const words = usage.split(' ').filter((word) => !word.startsWith('<'));
  const isOfMerchant = operation.path.startsWith('/backoffice/merchants/{id}') && !names.includes('id');
  const isPaged = 'cursor' in shapeOf(operation.query);

  return (service, kit, readKey) => {
    const group = words.length === 1 ? service : findGroup(service, String(words[0]));
    const plain = names.filter((name) => !args[name]?.parse).map((name) => `<${name}>`);
    const command = kit.command(group, [words.at(-1), ...plain].join(' '), summary, example);
    for (const [name, { description, parse }] of Object.entries(args))
      if (parse) command.argument(`<${name}>`, description, parse);
    if (isOfMerchant) command.addOption(merchantOption());
    for (const [field, option] of Object.entries(options))
      command.addOption(createOption(option, schemaOf(operation, field)));
    if (isPaged) addServicePageOptions(command);
    if (help !== undefined) command.addHelpText('after', help);

    command.action(async (...given: unknown[]) => {
      const chosen: Options & Record<string, unknown> = command.opts();
      const client = kit.client(chosen);
      const key = spec.own && readKey();
      const sent = (key !== undefined && spec.own) || operation;
      const named = Object.fromEntries(names.map((name, at) => [args[name]?.field ?? name, given[at]]));
      const fields: Record<string, unknown> = {
        ...named,
        ...readFields(operation, options, chosen),
        ...(isPaged ? { limit: chosen.limit, cursor: chosen.cursor } : {}),
        ...(await spec.fields?.(chosen, client)),
      };
      const params = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
      if (isOfMerchant && key === undefined) params.id = await readMerchantId(client, chosen.merchant);
      const pick = (schema: z.ZodType | undefined) =>
        Object.fromEntries(
          Object.keys(shapeOf(schema)).flatMap((name) =>
            fields[name] === undefined ? [] : [[name, fields[name]]],
          ),
        );
      const query = Object.fromEntries(
        Object.entries(pick(sent.query)).map(([name, value]) => [name, String(value)]),
      );
      const before = (await spec.before?.(client, params)) as Before;
      const request = { params, query, ...(sent.body ? { body: pick(sent.body) } : {}) };
      const answer = await (key === undefined ? client : client.withKey(key)).operate(sent, request);
      const extended = spec.extend ? await spec.extend(answer, client, params) : (answer as Extended);
      kit.print(chosen, extended, (shown) =>
        'show' in spec
          ? spec.show(shown, { params, options: chosen, paint: kit.paint, before })
          : formatPage(kit.paint, shown, spec),
      );
    });
  };
}

const groups: Readonly<Record<string, string>> = {
  merchants: 'list, create and approve merchants',
  platforms: "list and create a merchant's platforms: its sites, apps and tills",
  keys: 'list, create, rotate and revoke secret keys',
  fees: 'show and set the fee schedules of a merchant',
  senders: 'list, approve and remove the sender names of a merchant',
  webhook: 'show and set webhook URLs, and rotate signing secrets',
  sessions: 'create, find, show and review sessions',
  deliveries: 'list, show and resend webhook events',
  clock: "read or advance a sandbox's test clock",
};

/** Returns a group of commands; the first call adds it. */
export function findGroup(service: Command, name: string): Command {
  const added = service.commands.find((one) => one.name() === name);
  return added ?? service.command(name).description(groups[name] ?? '');
}

type Page<One> = { data: One[]; next_cursor: string | null };

function formatPage<One>(
  paint: Paint,
  answer: unknown,
  { empty, columns, hint }: { empty: string; columns: Columns<One>; hint?: string },
): string {
  const { data, next_cursor } = answer as Page<One>;
  if (data.length === 0) return `${empty}\n`;
  return (
    formatRows(paint, columns, data) +
    nextPageHint(paint, next_cursor) +
    (hint === undefined ? '' : `${hint}\n`)
  );
}

export function formatRows<One>(paint: Paint, columns: Columns<One>, rows: readonly One[]): string {
  const cells = (row: One) =>
    Object.entries(columns).map(([head, cell]) => {
      if (typeof cell === 'function') return cell(row);
      return head.endsWith('(UTC)')
        ? formatIsoTime(row[cell] as string | null | undefined)
        : String(row[cell]);
    });
  return table(paint, [Object.keys(columns), ...rows.map(cells)]);
}

function shapeOf(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function schemaOf({ query, body }: AnyOperation, field: string): z.ZodType | undefined {
  return shapeOf(query)[field] ?? shapeOf(body)[field];
}

/** A switch is an option without a value, which is optional. */
function createOption(given: FieldOption | Option, schema: z.ZodType | undefined): Option {
  if (given instanceof Option) return given;
  const [flags, description, parse] = given;
  const option = new Option(flags, description);
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (parse) option.argParser(parse as (text: string, previous: unknown) => unknown);
  else if (inner instanceof z.ZodEnum && option.required) option.choices(inner.options.map(String));
  const isRequired = option.required && schema !== undefined && !schema.safeParse(undefined).success;
  return isRequired ? option.makeOptionMandatory() : option;
}

/** Returns the fields of the options that are given. A switch that is not given is false. */
function readFields(
  operation: AnyOperation,
  options: Readonly<Record<string, FieldOption | Option>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const read = ([field, option]: [string, FieldOption | Option]) => {
    const schema = schemaOf(operation, field);
    const created = createOption(option, schema);
    const value = given[created.attributeName()];
    return [field, created.required || schema === undefined ? value : (value ?? false)];
  };
  return Object.fromEntries(Object.entries(options).map(read));
}
