import type { Router } from '../http/router.ts';
import { auditRoutes } from './audit-routes.ts';
import { feeRoutes } from './fee-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { merchantRoutes } from './merchant-routes.ts';
import type { AdminOperations } from './operations.ts';
import { platformRoutes } from './platform-routes.ts';
import { senderRoutes } from './sender-routes.ts';
import { adminSessionRoutes } from './session-routes.ts';

/** The admin API, without webhooks, reviews and the test clock: these register their own routes. */
export function adminRoutes(router: Router, operations: AdminOperations): void {
  merchantRoutes(router, operations);
  platformRoutes(router, operations);
  keyRoutes(router, operations);
  feeRoutes(router, operations);
  senderRoutes(router, operations);
  adminSessionRoutes(router, operations);
  auditRoutes(router, operations);
}
