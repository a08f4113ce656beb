import type { Database } from '#db/client/connection.ts'
import { hasRunningWorkers } from '#db/queries/jobs/jobs.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { RouteControl } from '../request/route-control.ts'

/** A dependency that is down never changes it. */
export interface ProcessState {
  phase: 'starting' | 'ready' | 'draining'
}

export type States = Readonly<Record<string, unknown>>

export interface Readiness {
  readonly processState: ProcessState
  readonly readStates: () => Promise<States>
}

/** Returns status and body of `/readyz` for load balancers. */
export const reportPhase = ({ phase }: ProcessState) => ({
  status: phase === 'ready' ? 200 : 503,
  body: { status: phase },
})

/** Returns status and body of `/readyz` for operators. */
export const reportReadiness = async ({ processState, readStates }: Readiness) => {
  const states = await readStates()
  // Reads the phase last, so a process that has just begun to shut down reports it.
  const { status, body } = reportPhase(processState)
  return { status, body: { ...body, ...states } }
}

const jobQueryTimeoutMs = 1000

export const readDatabaseState = async (database: Pick<Database, 'isReachable' | 'db'>) => {
  if (!(await database.isReachable())) return { database: 'down', jobs: 'unknown' }
  const running = hasRunningWorkers(database.db).then(
    (isRunning) => (isRunning ? 'up' : 'down'),
    () => 'unknown',
  )
  return { database: 'up', jobs: await withTimeout(jobQueryTimeoutMs, running, () => 'unknown') }
}

interface GatewayDependencies {
  readonly readDatabaseState: () => Promise<States>
  readonly transport: { readCoreState(): Promise<string>; breakerState(): string } | null
  readonly control: Pick<RouteControl, 'current' | 'listUntried'>
}

// `unknown` does not make the process unready, because it still forwards whatever the core can serve.
const describeRouting = ({ isKnown, isStale }: ReturnType<RouteControl['current']>) => {
  if (!isKnown) return 'unknown'
  return isStale ? 'stale' : 'current'
}

export const readGatewayStates = async (dependencies: GatewayDependencies): Promise<States> => {
  const { transport, control } = dependencies
  const [databaseState, core] = await Promise.all([
    dependencies.readDatabaseState(),
    transport?.readCoreState() ?? 'none',
  ])
  return {
    ...databaseState,
    core,
    breakers: { core: transport?.breakerState() ?? 'none', routes: control.listUntried() },
    routing: describeRouting(control.current()),
  }
}
