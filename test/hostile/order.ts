export type ServiceOrder = { program: 'service'; folder: string; adminToken: string };

export type GatewayOrder = {
  program: 'gateway';
  folder: string;
  serviceUrl: string;
  /** The merchant's key at the service. */
  key: string;
  /** The secret of every channel. */
  secret: string;
  webhookSecret: string;
};

export type Order = ServiceOrder | GatewayOrder;

/** What a program sends when it listens. The service adds its merchants. */
export type Started = { url: string; merchantId?: string; key?: string; strangerKey?: string };

export type Usage = { residentBytes: number; logLines: number };
