import { afterAll, describe, expect, it } from 'vitest'
import { comparedRoutes } from '#gateway/start/compared-routes.ts'
import { freshAccounts } from '#migration/contract-run/accounts.ts'
import { compareDeployments } from '#migration/contract-run/compare-deployments.ts'
import { exitCodes } from '#migration/report/summary.ts'
import { scenarios } from '#migration/scenarios/index.ts'
import { startTampering, startTwoSides } from './contract-run/two-sides.ts'
import { billingFaults } from './seeded-faults/billing.ts'
import { type Fault, hangUp, text } from './seeded-faults/fault.ts'
import { libraryFaults } from './seeded-faults/libraries.ts'
import { libraryWriteFaults } from './seeded-faults/library-writes.ts'
import { shareLinkFaults } from './seeded-faults/share-links.ts'
import { sharedPageFaults } from './seeded-faults/shared-pages.ts'
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
  ...sharedPageFaults,
  ...billingFaults,
]

const sides = startTwoSides()

const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

interface Compared {
  readonly wanted: readonly Fault['scenario'][]
  readonly fault?: Fault
  /** The routes that are to be compared; all unless given. */
  readonly area?: string
}

const compare = async ({ wanted, fault, area }: Compared) => {
  const origins = { native: sides.native, core: sides.core }
  if (fault) {
    const { origin, close } = await startTampering(origins[fault.on], fault.tampering)
    closing.push(close)
    origins[fault.on] = origin
  }
  const played = scenarios.filter((each) =>
    wanted.some(([label, title]) => each.label === label && each.title === title),
  )
  expect(played).toHaveLength(wanted.length)
  return compareDeployments({
    deployments: {
      native: { name: 'native', origin: origins.native },
      core: { name: 'core', origin: origins.core },
      accounts: freshAccounts(sides.gateway.issuer.mintToken),
      shareState: true,
    },
    scenarios: played,
    routes: comparedRoutes(area),
    createProgress: () => () => {},
  })
}

const wordsOf = ({ label, kind, path, class: grade, blame }: Record<string, unknown>) =>
  `${label}: ${kind} at ${path}, ${grade}, blame ${blame}`

// Each side has its own word for a refused input, by agreement.
const agreed = /: value at body\.error, accepted/

describe.concurrent('a run over two sides that differ by one fault', () => {
  it('has thirty and more of them, many on either side', () => {
    expect(faults.length).toBeGreaterThanOrEqual(30)
    expect(faults.filter(({ on }) => on === 'core').length).toBeGreaterThan(faults.length / 3)
  })

  it('finds nothing where there is none', async ({ expect }) => {
    const all = new Map(faults.map(({ scenario }) => [scenario.join(), scenario]))
    const { summary } = await compare({ wanted: [...all.values()] })
    expect(summary.signatures.map(wordsOf).filter((words) => !agreed.test(words))).toEqual([])
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0, not_comparable: 0 })
  }, 60_000)

  it.each(faults)('finds $what on the side of $on, once and on its route', async (fault) => {
    const { summary } = await compare({ wanted: [fault.scenario], fault })
    expect(summary.signatures.map(wordsOf).filter((words) => !agreed.test(words))).toEqual([fault.found])
  })
})

describe.concurrent('the outcome of a run', () => {
  const lists = ['libraries.list', 'returns an empty list'] as const
  const lacking = (on: Fault['on'], tampering: Fault['tampering']): Fault => ({
    what: 'a fault',
    on,
    scenario: lists,
    tampering,
    found: '',
  })

  it.each([
    ['passes where both sides agree', 0, { area: 'libraries.list' }],
    ['is a regression where native answers something else', 1, { fault: lacking('native', text('[]')) }],
    ['is none to rely on where the core does not answer', 2, { fault: lacking('core', hangUp) }],
    ['is none to rely on where the core breaks its contract', 2, { fault: lacking('core', text('[]')) }],
    ['is inconclusive where a route was never asked', 3, {}],
  ])('%s, and the process ends with %i', async (_, code, options) => {
    const { summary } = await compare({ wanted: [lists], ...options })
    expect(exitCodes[summary.outcome]).toBe(code)
  })
})
