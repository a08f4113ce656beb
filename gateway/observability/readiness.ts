import type { Database } from '#db/client/connection.ts'
import { hasRunningWorkers } from '#db/queries/jobs.ts'

interface DatabaseReport {
  readonly database: 'up' | 'down'
  /** Nobody can tell while the database is lost. */
  readonly jobs: 'up' | 'down' | 'unknown'
}

/** The life of this process and of what it leans on. A lost dependency is told, never a reason to leave a balancer. */
export interface Readiness {
  phase: 'starting' | 'ready' | 'draining'
  readonly database: () => Promise<DatabaseReport>
  readonly core: () => Promise<'up' | 'down' | 'none'>
}

export const readinessReport = async ({ phase, database, core }: Readiness) => {
  const [{ database: state, jobs }, coreIs] = await Promise.all([database(), core()])
  return {
    status: phase === 'ready' ? 200 : 503,
    body: { status: phase, database: state, core: coreIs, jobs },
  }
}

/** What the database says of itself and of the workers that live off it. */
export const reportDatabaseState = async (
  database: Pick<Database, 'isReachable' | 'db'>,
): Promise<DatabaseReport> => {
  if (!(await database.isReachable())) return { database: 'down', jobs: 'unknown' }
  const jobs = await hasRunningWorkers(database.db).then(
    (attended) => (attended ? 'up' : 'down'),
    () => 'unknown' as const,
  )
  return { database: 'up', jobs }
}

/** `none` where no core is configured. */
export const reportCoreState = async (transport: { isReachable(): Promise<boolean> } | null) =>
  transport === null ? 'none' : (await transport.isReachable()) ? 'up' : 'down'
