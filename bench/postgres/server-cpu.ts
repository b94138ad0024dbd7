import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Clock ticks of /proc in one second, on every Linux that Node supports. */
const ticksPerSecond = 100;

/** Returns the process that starts the backends of a PostgreSQL server of this machine. */
export async function findServer(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const parent = fieldsOf(Number(rows[0]?.pid))?.[1];
  await client.end();
  return Number(parent);
}

/** Returns the processor time of the server and all its backends so far, also of those that have ended. */
export function cpuMsOfServer(server: number): number {
  const ticks = readdirSync('/proc').reduce((sum, name) => {
    const fields = /^\d+$/.test(name) ? fieldsOf(Number(name)) : undefined;
    if (!fields || (Number(name) !== server && Number(fields[1]) !== server)) return sum;
    // User and system time, and for the server itself those of its ended children.
    const own = Number(fields[11]) + Number(fields[12]);
    return sum + own + (Number(name) === server ? Number(fields[13]) + Number(fields[14]) : 0);
  }, 0);
  return (1_000 * ticks) / ticksPerSecond;
}

/** Returns the fields of /proc/<pid>/stat from the state on: the parent is the second, the times follow from the twelfth. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
