import type { Scope } from '../../contract/admin.ts';

/** The scope without which a key creates no offline session. */
export const offlineScope: Scope = 'collections:offline';

/** The scope without which a key neither creates nor initiates a session of that mode. */
export const modeScopes = { offline: offlineScope, web: 'collections:web' } as const;
