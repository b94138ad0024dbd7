import type { Endpoints } from '../http/endpoint.ts';
import { auditRoutes } from './audit-routes.ts';
import { feeRoutes } from './fee-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { merchantRoutes } from './merchant-routes.ts';
import type { BackOffice } from './operations.ts';
import { platformRoutes } from './platform-routes.ts';
import { senderRoutes } from './sender-routes.ts';
import { officeSessionRoutes } from './session-routes.ts';

/** The back office's JSON API, behind the admin token. Webhooks, reviews and the test clock mount their own. */
export function backOfficeRoutes(serve: Endpoints, verbs: BackOffice): void {
  merchantRoutes(serve, verbs);
  platformRoutes(serve, verbs);
  keyRoutes(serve, verbs);
  feeRoutes(serve, verbs);
  senderRoutes(serve, verbs);
  officeSessionRoutes(serve, verbs);
  auditRoutes(serve, verbs);
}
