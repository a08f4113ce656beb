import type { Database } from '#db/client/connection.ts'
import { readWithLockTimeout } from '#db/client/drizzle.ts'
import type { DatabasePort } from '#native-routes/ports.ts'

export const createDatabasePort = ({ db, reader }: Pick<Database, 'db' | 'reader'>): DatabasePort => ({
  read: reader,
  readWithLockTimeout: (timeoutMs, work) => readWithLockTimeout(db, timeoutMs, work),
  tx: (work) => db.transaction(work),
})
