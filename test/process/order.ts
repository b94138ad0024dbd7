/** An order for a gateway in its own process, at its start or later. */
export type Order = {
  /** The start and speed of its clock. Only at its start. */
  since?: number;
  speed?: number;
  /** How far its clock is wrong, in ms. Only at its start. */
  clockOffsetMs?: number;
  /** `false` serves requests without background work. Only at its start. */
  work?: boolean;
  /** The point at which it ends, and which occurrence of that point since this order (1). */
  endAt?: string;
  nth?: number;
  /** The signal that it sends to itself (SIGKILL). */
  signal?: 'SIGKILL' | 'SIGSTOP';
  /** Waits until the last response was sent. */
  afterReply?: boolean;
  /** Prints each point that it passes. */
  printPoints?: boolean;
};
