import { merchantOperations } from './merchant-operations.ts';
import { healthOperations, messageOperations, promptOperations } from './open-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { clockOperations, reviewOperations, supportOperations } from './support-operations.ts';
import { eventOperations, webhookOperations } from './webhook-operations.ts';

/** Every operation by its id, in the order of the document. The service serves them, the document describes and commands send them. */
export const serviceOperations = withIds({
  ...sessionOperations,
  ...promptOperations,
  ...reviewOperations,
  ...clockOperations,
  ...messageOperations,
  ...merchantOperations,
  ...supportOperations,
  ...eventOperations,
  ...webhookOperations,
  ...healthOperations,
});

function withIds<Table extends Record<string, object>>(table: Table) {
  return Object.fromEntries(Object.entries(table).map(([id, one]) => [id, { ...one, id }])) as {
    [Id in keyof Table]: Table[Id] & { id: Id };
  };
}
