import { createServer, type Server } from 'node:http';
import { Database } from '../../src/sqlite/driver.ts';

/*
 * The least that a durable turn costs: node:http, a parsed form, three prepared reads, the state as JSON, one inserted
 * row, and an answer after a group commit with synchronous=FULL. It has no menu, no limits and no checks.
 */

const screen = 'CON Amount in GHS, such as 20 or 20.50:';

const schema = `
  CREATE TABLE turn (seq INTEGER PRIMARY KEY, session TEXT NOT NULL, sequence INTEGER NOT NULL, dialler TEXT NOT NULL,
    state TEXT NOT NULL, screen TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE UNIQUE INDEX turn_request ON turn (session, sequence);
  CREATE INDEX turn_dialler ON turn (dialler, at);
  CREATE TABLE payment (id INTEGER PRIMARY KEY, payer TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX payment_payer ON payment (payer, at);`;

type Turn = { session: string; sequence: number; dialler: string; state: string };

/** Inserts turns. Those of one iteration of the event loop share a commit, and `done` is called after it. */
function createWriter(database: InstanceType<typeof Database>): (turn: Turn, done: () => void) => void {
  const insert = database.prepare(
    'INSERT INTO turn (session, sequence, dialler, state, screen, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  let waiting: { turn: Turn; done: () => void }[] = [];
  function flush(): void {
    const batch = waiting;
    waiting = [];
    begin.run();
    for (const { turn } of batch) {
      insert.run(turn.session, turn.sequence, turn.dialler, turn.state, screen, Date.now());
    }
    commit.run();
    for (const { done } of batch) done();
  }
  return (turn, done) => {
    if (waiting.push({ turn, done }) === 1) setImmediate(flush);
  };
}

/** Creates the floor on a new database file. It understands the forms of Africa's Talking. */
export function createFloor(file: string): Server {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(schema);
  const write = createWriter(database);
  const read = (sql: string) => database.prepare(sql).raw(true);
  const lastOf = read('SELECT sequence, state FROM turn WHERE session = ? ORDER BY sequence DESC LIMIT 1');
  const lastBy = read('SELECT at FROM turn WHERE dialler = ? ORDER BY at DESC LIMIT 1');
  const payments = read('SELECT id, at FROM payment WHERE payer = ? ORDER BY at DESC LIMIT 8');
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      const session = form.get('sessionId') ?? '';
      const dialler = form.get('phoneNumber') ?? '';
      const [sequence, before] = (lastOf.get(session) as [number, string] | undefined) ?? [
        0,
        '{"inputs":[]}',
      ];
      lastBy.get(dialler);
      payments.all(dialler);
      const { inputs } = JSON.parse(before) as { inputs: string[] };
      const state = JSON.stringify({ inputs: [...inputs, form.get('text') ?? ''] });
      write({ session, sequence: sequence + 1, dialler, state }, () => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': screen.length });
        response.end(screen);
      });
    });
  });
}
