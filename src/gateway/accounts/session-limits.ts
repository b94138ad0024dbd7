const minuteMs = 60_000;

export const sessionLimits = {
  /** Without a request for so long, a session ends. */
  idleMs: 30 * minuteMs,
  maxMs: 12 * 60 * minuteMs,
  /** Sessions of one account in browsers. A new one ends the one that was used least recently. */
  maxInBrowsers: 20,
  /** The first use of an account. */
  setupMs: 60 * minuteMs,
  /** A token of the command line. It ends without regard to its use. */
  commandMs: 30 * 24 * 60 * minuteMs,
  /** The time for which a password and a code count for an approval. */
  confirmedMs: 5 * minuteMs,
} as const;
