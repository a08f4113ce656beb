import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'

// Sessions report what they have committed within a second, idle ones too.
const reportDelayMs = 1500

/** Transactions per second of a database over a period, without those of this function. */
export const countTransactions = async (databaseUrl: string, seconds: number): Promise<number> => {
  const sql = postgres(new URL('/template1', databaseUrl).href, { max: 1 })
  const name = new URL(databaseUrl).pathname.slice(1)
  const read = async () => {
    await sleep(reportDelayMs)
    const [row] = await sql`
      select xact_commit + xact_rollback as count from pg_stat_database where datname = ${name}`
    return { count: Number(row?.count), at: performance.now() }
  }
  try {
    const before = await read()
    await sleep(seconds * 1000)
    const after = await read()
    return ((after.count - before.count) * 1000) / (after.at - before.at)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
