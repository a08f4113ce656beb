import { afterAll, expect } from 'vitest'
import { listTwoSidedRoutes } from '#dev/contract/comparison.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'
import { scenarios } from '#test/scenarios/index.ts'
import { type startBothSides, startTampering } from '../parity/run/two-sides.ts'
import type { SeededFault } from './fault.ts'

interface FaultRunOptions {
  readonly wanted: readonly SeededFault['scenario'][]
  readonly fault?: Pick<SeededFault, 'on' | 'tampering'>
  readonly area?: string
}

export const createFaultRun = (sides: ReturnType<typeof startBothSides>) => {
  const closing: (() => Promise<void>)[] = []
  afterAll(() => Promise.all(closing.map((close) => close())))

  return async ({ wanted, fault, area }: FaultRunOptions) => {
    const origins = { native: sides.native, core: sides.core }
    if (fault) {
      const { origin, close } = await startTampering(origins[fault.on], fault.tampering)
      closing.push(close)
      origins[fault.on] = origin
    }
    const selected = scenarios.filter((each) =>
      wanted.some(([label, title]) => each.label === label && each.title === title),
    )
    expect(selected).toHaveLength(wanted.length)
    return compareDeployments({
      deployments: {
        native: { name: 'native', origin: origins.native },
        core: { name: 'core', origin: origins.core },
        accounts: createFreshAccountSource(sides.gateway.issuer.mintToken),
        session: createSandboxSession(),
        hasSharedState: true,
      },
      scenarios: selected,
      routes: listTwoSidedRoutes(area),
      createProgress: () => () => {},
    })
  }
}
