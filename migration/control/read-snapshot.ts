import type { Database, Reader } from '#db/client/connection.ts'

/** Reads everything as of one moment, however long it takes. */
export const readSnapshot = <T>(db: Database['db'], read: (tx: Reader) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' })
