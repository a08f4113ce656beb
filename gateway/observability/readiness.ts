import type { Database } from '#db/client/connection.ts'
import { hasRunningWorkers } from '#db/queries/jobs.ts'

interface DatabaseReport {
  readonly database: 'up' | 'down'
  /** `unknown` while the database is down. */
  readonly jobs: 'up' | 'down' | 'unknown'
}

/** The state of this process and its dependencies. A dependency that is down never makes the process unready. */
export interface Readiness {
  phase: 'starting' | 'ready' | 'draining'
  readonly database: () => Promise<DatabaseReport>
  readonly core: () => Promise<'up' | 'down' | 'none'>
}

/** Checks the database and the core. Returns the status and the body of the response to `/readyz`. */
export const checkReadiness = async ({ phase, database, core }: Readiness) => {
  const [{ database: databaseState, jobs }, coreState] = await Promise.all([database(), core()])
  return {
    status: phase === 'ready' ? 200 : 503,
    body: { status: phase, database: databaseState, core: coreState, jobs },
  }
}

/** Checks the database and, through it, whether job workers are running. */
export const reportDatabaseState = async (
  database: Pick<Database, 'isReachable' | 'db'>,
): Promise<DatabaseReport> => {
  if (!(await database.isReachable())) return { database: 'down', jobs: 'unknown' }
  const jobs = await hasRunningWorkers(database.db).then(
    (isRunning) => (isRunning ? 'up' : 'down'),
    () => 'unknown' as const,
  )
  return { database: 'up', jobs }
}

/** Checks the core; `none` if no core is configured. */
export const reportCoreState = async (transport: { isReachable(): Promise<boolean> } | null) =>
  transport === null ? 'none' : (await transport.isReachable()) ? 'up' : 'down'
