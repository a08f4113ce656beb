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
