/* No library: pg waits for the answer to each statement, and here a batch is one round trip and one transaction. */

import type { ClientBase, Connection, FieldDef, Submittable } from 'pg';
import type { SqlValue } from '../sqlite/store.ts';
import type { PostgresStatement } from './statements.ts';

/** The end of the last work of each connection. */
const lastOf = new WeakMap<object, Promise<unknown>>();

/**
 * Begins the work of a connection when its earlier work has ended, also when that failed: callers can ask at the same time, and
 * pg 9 no longer accepts a query beside another one.
 *
 * @param client the connection, which is the same object in each call.
 */
export function inOrder<Result>(client: object, work: () => Promise<Result>): Promise<Result> {
  const result = (lastOf.get(client) ?? Promise.resolve()).then(work);
  lastOf.set(
    client,
    result.catch(() => {}),
  );
  return result;
}

/** A statement and its values. */
export type PipelineStep = { readonly statement: PostgresStatement; readonly values: readonly SqlValue[] };

/** The names of the statements that each connection has parsed. */
const parsedOn = new WeakMap<Connection, Set<string>>();

/**
 * Sends statements as one pipeline: all of them, then a single Sync, which ends the implicit transaction that they form. It
 * takes one round trip, and no lock outlives it when this process stops for a while.
 *
 * @returns the rows of the last statement, after the commit.
 * @throws the error that the server reported, after which nothing is written; or the error of a lost connection, after
 *   which the outcome is unknown.
 */
export function sendPipeline(
  client: Pick<ClientBase, 'query'>,
  steps: readonly PipelineStep[],
): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    client.query(new Pipeline(steps, resolve, reject));
  });
}

class Pipeline implements Submittable {
  private rows: (readonly (string | null)[])[] = [];
  private decoders: readonly ((text: string) => unknown)[] = [];
  private parsing: string[] = [];
  private stopWatching = () => {};
  private readonly steps: readonly PipelineStep[];
  private readonly resolve: (rows: unknown[][]) => void;
  private readonly reject: (error: Error) => void;

  constructor(
    steps: readonly PipelineStep[],
    resolve: (rows: unknown[][]) => void,
    reject: (error: Error) => void,
  ) {
    this.steps = steps;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(connection: Connection): void {
    const parsed = parsedOn.get(connection) ?? new Set<string>();
    parsedOn.set(connection, parsed);
    // After an error, the server skips the statements that follow; only those that it reports are parsed.
    const onParsed = () => void parsed.add(this.parsing.shift() ?? '');
    connection.on('parseComplete', onParsed);
    this.stopWatching = () => connection.off('parseComplete', onParsed);
    const sending = new Set<string>();
    connection.stream.cork();
    try {
      for (const [index, { statement, values }] of this.steps.entries()) {
        const { name, text, types } = statement;
        if (name === '' || !(parsed.has(name) || sending.has(name))) {
          this.parsing.push(name);
          if (name !== '') sending.add(name);
          connection.parse({ name, text, types: types.map(String) }, true);
        }
        connection.bind({ portal: '', statement: name, values: values.map(toText) }, true);
        if (index === this.steps.length - 1) connection.describe({ type: 'P', name: '' }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly FieldDef[] }): void {
    this.decoders = fields.map(({ dataTypeID }) => createDecoder(dataTypeID));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    // Only the last statement is described: rows before it are the results of guards.
    if (this.decoders.length === 0) return;
    this.rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.stopWatching();
    try {
      this.resolve(this.rows.map((row) => this.decode(row)));
    } catch (fault) {
      this.reject(fault as Error);
    }
  }

  private decode(row: readonly (string | null)[]): unknown[] {
    return row.map((field, at) => (field === null ? null : this.decoders[at]?.(field)));
  }

  handleError(error: Error): void {
    this.stopWatching();
    this.reject(error);
  }
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}

const boolean = 16;
const numbers = [20, 21, 23, 26, 700, 701, 1700];

/**
 * Returns the function that turns the text of a column into the value that SQLite returns for it: numbers as numbers, and
 * 1 or 0 for a boolean.
 *
 * @param type the object id of the column's type.
 */
export function createDecoder(type: number): (text: string) => unknown {
  if (type === boolean) return (text) => (text === 't' ? 1 : 0);
  return numbers.includes(type) ? toNumber : (text) => text;
}

/** @throws Error for an integer that a number cannot represent exactly. */
function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new Error(`the database returned ${text}, which is not a safe integer`);
  return number;
}
