/*
 * The gateway as a library: `import { serveGateway } from 'dialtill/gateway'`.
 *
 * Load a configuration, then serve it with `serveGateway`, or create the gateway with `createGateway` and mount its app
 * in a server of your own.
 */
export { aggregators } from '../aggregators/registry.ts';
export { type Clock, type EpochMs, systemClock } from '../shared/clock.ts';
export { UserError } from '../shared/errors.ts';
export { type Ids, systemIds } from '../shared/ids.ts';
export { createLog, type Log, type LogOptions } from '../shared/log.ts';
export { loadConfig } from './config/load.ts';
export type { Config } from './config/schema.ts';
export { createGateway, type Gateway, openGateway } from './create.ts';
export { type RunningGateway as Running, serveGateway } from './serve.ts';
export type { GatewayOverrides } from './wiring/context.ts';
