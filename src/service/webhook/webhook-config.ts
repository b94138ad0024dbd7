/** How events are delivered, and how often a delivery is repeated. */
export type WebhookConfig = {
  /** The waits between the attempts. After the last attempt the event is given up. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  /** Name of the signature header, which carries the service's brand. */
  headerName: string;
  /**
   * An endpoint that fails for this time is disabled until its URL is set again. A success resets the time, and so does
   * a gap between two attempts that is longer than the longest wait.
   */
  disableAfterMs: number;
  /** How long the previous secret signs beside the new one after a rotation. */
  overlapMs: number;
  /** Deliveries in flight in each mode. */
  maxInFlight: number;
  /** Deliveries in flight to one endpoint that accepts them. */
  maxInFlightPerEndpoint: number;
};
