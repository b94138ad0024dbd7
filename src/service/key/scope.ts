import type { Scope } from '../../contract/admin.ts';

/** The scope for creating and initiating offline sessions. */
export const offlineScope: Scope = 'collections:offline';

/** The scope for creating and initiating sessions, by mode. */
export const modeScopes = { offline: offlineScope, web: 'collections:web' } as const;
