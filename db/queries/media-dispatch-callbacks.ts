import type { Queryable } from '../client/connection.ts'
import { mediaDispatchCallbacks } from '../schema/processing.ts'

/** Notes that a callback was taken in; false when it had been before. */
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
