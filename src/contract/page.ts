import { z } from 'zod';

/** A page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page.' }),
  });
}

/** The query of a list that has pages. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '1 to 100. Default: 20.', example: 20 }),
  cursor: z.string().max(128).optional().meta({ description: '`next_cursor` of the previous page.' }),
};
