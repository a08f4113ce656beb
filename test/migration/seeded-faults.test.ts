import { afterAll, describe, expect, it } from 'vitest'
import { listComparedRoutes } from '#gateway/start/compared-routes.ts'
import { createFreshAccountSource } from '#migration/contract-run/accounts.ts'
import { compareDeployments } from '#migration/contract-run/compare-deployments.ts'
import { createSandboxSession } from '#migration/contract-run/session.ts'
import { exitCodes } from '#migration/report/exit-codes.ts'
import { scenarios } from '#migration/scenarios/index.ts'
import { startBothSides, startTampering } from './contract-run/two-sides.ts'
import { billingFaults } from './seeded-faults/billing.ts'
import { hangUp, type SeededFault, setText } from './seeded-faults/fault.ts'
import { libraryFaults } from './seeded-faults/libraries.ts'
import { libraryWriteFaults } from './seeded-faults/library-writes.ts'
import { publicPageFaults } from './seeded-faults/public-pages.ts'
import { shareLinkFaults } from './seeded-faults/share-links.ts'
import { splitSheetFaults } from './seeded-faults/split-sheets.ts'
import { trackFileFaults } from './seeded-faults/track-files.ts'
import { trackFaults } from './seeded-faults/tracks.ts'

const faults = [
  ...libraryFaults,
  ...libraryWriteFaults,
  ...trackFaults,
  ...trackFileFaults,
  ...splitSheetFaults,
  ...shareLinkFaults,
  ...publicPageFaults,
  ...billingFaults,
]

const sides = startBothSides()

const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

interface FaultRunOptions {
  readonly wanted: readonly SeededFault['scenario'][]
  readonly fault?: SeededFault
  /** The routes to compare; default: all. */
  readonly area?: string
}

const compare = async ({ wanted, fault, area }: FaultRunOptions) => {
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
    routes: listComparedRoutes(area),
    createProgress: () => () => {},
  })
}

const formatSignature = ({ label, kind, path, class: differenceClass, blame }: Record<string, unknown>) =>
  `${label}: ${kind} at ${path}, ${differenceClass}, blame ${blame}`

// Each side has its own error code for invalid input, which is an accepted difference.
const acceptedErrorCode = /: value at body\.error, accepted/

// Each test runs many comparisons, all of them at the same time as those of the others.
describe.concurrent('compareDeployments with one fault', { timeout: 60_000 }, () => {
  it('has at least thirty faults, a third of them on the core', () => {
    expect(faults.length).toBeGreaterThanOrEqual(30)
    expect(faults.filter(({ on }) => on === 'core').length).toBeGreaterThan(faults.length / 3)
  })

  it('reports nothing without a fault', async ({ expect }) => {
    const all = new Map(faults.map(({ scenario }) => [scenario.join(), scenario]))
    const { summary } = await compare({ wanted: [...all.values()] })
    expect(summary.signatures.map(formatSignature).filter((line) => !acceptedErrorCode.test(line))).toEqual(
      [],
    )
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0, not_comparable: 0 })
  }, 60_000)

  it.each(faults.map((fault) => [fault.title, fault.on, fault] as const))(
    'reports %s on the %s side once, on its route',
    async (_title, _side, fault) => {
      const { summary } = await compare({ wanted: [fault.scenario], fault })
      expect(summary.signatures.map(formatSignature).filter((line) => !acceptedErrorCode.test(line))).toEqual(
        [fault.found],
      )
    },
  )
})

// Each test runs many comparisons.
describe.concurrent('the outcome of a run', { timeout: 60_000 }, () => {
  const lists = ['libraries.list', 'returns an empty list'] as const
  const createFault = (on: SeededFault['on'], tampering: SeededFault['tampering']): SeededFault => ({
    title: 'a fault',
    on,
    scenario: lists,
    tampering,
    found: '',
  })

  it.each([
    ['passes if both sides agree', 0, { area: 'libraries.list' }],
    ['is a regression if native returns something else', 1, { fault: createFault('native', setText('[]')) }],
    ['is not comparable if the core does not respond', 2, { fault: createFault('core', hangUp) }],
    ['is not comparable if the core violates the contract', 2, { fault: createFault('core', setText('[]')) }],
    ['is inconclusive if a route was not compared', 3, {}],
  ])('%s: exit code %i', async (_, code, options) => {
    const { summary } = await compare({ wanted: [lists], ...options })
    expect(exitCodes[summary.outcome]).toBe(code)
  })
})
