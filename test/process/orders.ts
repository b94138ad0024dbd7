/** What a gateway in a process of its own is told: at its start, and later on. */
export type Order = {
  /** From when on its time runs faster than the wall's, and how many times: only at its start. */
  since?: number;
  speed?: number;
  /** `false` serves, and works on nothing: only at its start. */
  work?: boolean;
  /** The point at which it ends, and the how-manieth of that name from this order on: the first, unless said. */
  endAt?: string;
  nth?: number;
  /** How it ends; at once and for good, unless said otherwise. */
  by?: 'SIGKILL' | 'SIGSTOP';
  /** Not before the answer to the last request has left: a payer has seen END. */
  seen?: boolean;
  /** Names each point that it passes on its output. */
  tellPoints?: boolean;
};
