/** A delivery is one event at one endpoint. */
export type DeliveryKey = { endpointId: string; eventId: string };

export const deliveryId = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId}.${eventId}`;

/** Reads the id of a delivery; `undefined` when the text is none. */
export function readDeliveryId(id: string): DeliveryKey | undefined {
  const [, endpointId, eventId] = /^([a-z0-9_]{1,40})\.([a-z0-9_]{1,80})$/.exec(id) ?? [];
  return endpointId === undefined || eventId === undefined ? undefined : { endpointId, eventId };
}
