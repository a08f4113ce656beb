import postgres from 'postgres'
import { routingChannel } from '#db/queries/routing/route-states.ts'

/** As many statements as an instance needs to adopt an epoch. */
const statements = 6

/**
 * A client that listens as the instances do and then sends as many statements, in the process that measures: how fast
 * the machine would let an adoption be.
 */
export const startControlClient = async (databaseUrl: string) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const completed = new Map<number, number>()
  const follow = async (epoch: number) => {
    for (let count = 0; count < statements; count++) await sql`select 1`
    completed.set(epoch, Date.now())
  }
  // A statement fails when the client is closed.
  await sql.listen(routingChannel, (payload) => void follow(Number(payload)).catch(() => undefined))
  return {
    /** When the last statement for each epoch was completed, in milliseconds since the epoch of Unix. */
    completed: completed as ReadonlyMap<number, number>,
    close: () => sql.end({ timeout: 1 }),
  }
}
