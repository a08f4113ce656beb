import { afterAll, describe, expect, it } from 'vitest'
import { comparedRoutes } from '#gateway/start/compared-routes.ts'
import { freshAccounts } from '#migration/contract-run/accounts.ts'
import { compareDeployments } from '#migration/contract-run/compare-deployments.ts'
import { scenarios } from '#migration/scenarios/index.ts'
import { startTampering, startTwoSides } from './contract-run/two-sides.ts'
import { billingFaults } from './seeded-faults/billing.ts'
import type { Fault } from './seeded-faults/fault.ts'
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

const compare = async (wanted: readonly Fault['scenario'][], fault?: Fault) => {
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
    routes: comparedRoutes(),
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
    const { summary } = await compare([...all.values()])
    expect(summary.signatures.map(wordsOf).filter((words) => !agreed.test(words))).toEqual([])
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0, not_comparable: 0 })
  })

  it.each(faults)('finds $what on the side of $on, once and on its route', async (fault) => {
    const { summary } = await compare([fault.scenario], fault)
    expect(summary.signatures.map(wordsOf).filter((words) => !agreed.test(words))).toEqual([fault.found])
  })
})
