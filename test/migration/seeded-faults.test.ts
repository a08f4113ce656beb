import { describe, expect, it } from 'vitest'
import { runExitCodes, type SignatureSummary } from '#migration/parity/report/summary.ts'
import { startBothSides } from './parity/run/two-sides.ts'
import { allFaults as faults } from './seeded-faults/all-faults.ts'
import { hangUp, type SeededFault, setText } from './seeded-faults/fault.ts'
import { createFaultRun } from './seeded-faults/run-with-fault.ts'

const compare = createFaultRun(startBothSides())

const formatSignature = ({ label, kind, path, class: differenceClass, blame }: SignatureSummary) =>
  `${label}: ${kind} at ${path}, ${differenceClass}, blame ${blame}`

// A token and its preview are compared with each other, so a fault in one shows in both.
const ofToken = /: value at body\.token(?:Preview)?, /
// Accepted differences: for invalid input, each side has its own error code, and only native's errors have a message.
const acceptedOfErrors = /: (value at body\.error|extra at body\.message), accepted/

// Each test runs many comparisons, at the same time as the other tests.
describe.concurrent('compareDeployments with one fault', { timeout: 60_000 }, () => {
  it('is tested with at least thirty faults, over a third of them on the core', () => {
    expect(faults.length).toBeGreaterThanOrEqual(30)
    expect(faults.filter(({ on }) => on === 'core').length).toBeGreaterThan(faults.length / 3)
  })

  it('reports nothing for the same scenarios without the fault', async ({ expect }) => {
    const all = new Map(faults.map(({ scenario }) => [scenario.join(), scenario]))
    const { summary } = await compare({ wanted: [...all.values()] })
    expect(summary.signatures.map(formatSignature).filter((line) => !acceptedOfErrors.test(line))).toEqual([])
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0, not_comparable: 0 })
  }, 60_000)

  it.each(faults.map((fault) => [fault.title, fault.on, fault] as const))(
    'reports %s on the %s side only once, for the route with the fault',
    async (_title, _side, fault) => {
      const { summary } = await compare({ wanted: [fault.scenario], fault })
      const found = summary.signatures.map(formatSignature).filter((line) => !acceptedOfErrors.test(line))
      expect(found.filter((line) => line === fault.found || !ofToken.test(line))).toEqual([fault.found])
    },
  )
})

// Each test runs many comparisons.
describe.concurrent("a run's outcome", { timeout: 60_000 }, () => {
  const lists = ['libraries.list', 'returns an empty list'] as const
  const createFault = (on: SeededFault['on'], tampering: SeededFault['tampering']): SeededFault => ({
    title: 'a fault',
    on,
    scenario: lists,
    tampering,
    found: '',
  })

  it.each([
    ['is a pass if both sides agree', 0, { area: 'libraries.list' }],
    ['is a regression if native returns something else', 1, { fault: createFault('native', setText('[]')) }],
    ['is not comparable if the core does not respond', 2, { fault: createFault('core', hangUp) }],
    ['is not comparable if the core violates the contract', 2, { fault: createFault('core', setText('[]')) }],
    ['is inconclusive if a route was not compared', 3, {}],
  ])('%s, with exit code %i', async (_, code, options) => {
    const { summary } = await compare({ wanted: [lists], ...options })
    expect(runExitCodes[summary.outcome]).toBe(code)
  })
})
