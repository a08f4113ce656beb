/** The life of this process and of what it leans on. A lost dependency is told, never a reason to leave a balancer. */
export interface Readiness {
  phase: 'starting' | 'ready' | 'draining'
  readonly database: () => Promise<'up' | 'down'>
  readonly core: () => 'up' | 'down' | 'none'
}

export const readinessReport = async ({ phase, database, core }: Readiness) => ({
  status: phase === 'ready' ? 200 : 503,
  body: { status: phase, database: await database(), core: core() },
})

export const databaseState = async (database: { isReachable(): Promise<boolean> }) =>
  (await database.isReachable()) ? 'up' : 'down'

/** A core counts as down while nothing is sent to it because it could not be reached. */
export const coreState = (transport: { breakerState(): string } | null) =>
  transport === null ? 'none' : transport.breakerState() === 'open' ? 'down' : 'up'
