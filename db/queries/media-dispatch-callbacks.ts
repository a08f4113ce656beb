import type { Queryable } from '../client/connection.ts'
import { mediaDispatchCallbacks } from '../schema/processing.ts'

/** Records a processed callback. Returns false if it was processed before. */
export const insertDispatchCallback = async (
  tx: Queryable,
  callback: typeof mediaDispatchCallbacks.$inferInsert,
) => {
  const inserted = await tx
    .insert(mediaDispatchCallbacks)
    .values(callback)
    .onConflictDoNothing()
    .returning({ callbackId: mediaDispatchCallbacks.callbackId })
  return inserted.length > 0
}
