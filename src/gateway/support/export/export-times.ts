/** The time by which an export selects: when a collection was opened, or when money was booked. */
export const exportTimes = ['opened', 'booked'] as const;
export type ExportTime = (typeof exportTimes)[number];
