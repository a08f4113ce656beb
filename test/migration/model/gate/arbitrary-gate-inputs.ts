import fc from 'fast-check'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import type { ComparisonEvidence, GateInput, StepEvidence } from '#migration/model/gate/gate-input.ts'
import { promotionModes } from '#migration/model/route-state.ts'

import {
  accountsOf,
  createGateInput,
  evidenceKey,
  goodComparisons,
  goodStep,
  now,
  stateOf,
  testAfter,
} from './gate-inputs.ts'

const twoSidedLabels = labels.filter(isTwoSided)

/** Mostly returns the usual value, so that many inputs meet all checks. */
const usually = <T>(usual: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 12 }, { arbitrary: other, weight: 1 })

const count = fc.nat({ max: 2000 })
const rate = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1000, noNaN: true }))
const anyKey = usually<string>(evidenceKey, fc.constant('other-key'))

const comparisons = fc.record<ComparisonEvidence>({
  evidenceKey: anyKey,
  test: usually(
    goodComparisons.test,
    fc.tuple(count, fc.nat({ max: 3 })).map(([made, wrong]) => testAfter(made + wrong, wrong)),
  ),
  firstAt: usually(goodComparisons.firstAt, fc.integer({ min: now - 10 ** 10, max: now + 10 ** 6 })),
  coreRequestsPerDay: usually(goodComparisons.coreRequestsPerDay, fc.nat({ max: 1000 })),
  comparisonsPerMinute: rate,
  transients: usually(2, count),
  copies: usually(800, count),
  drops: usually(10, count),
  statuses: usually(
    goodComparisons.statuses,
    fc.array(
      fc.record({
        status: fc.constantFrom(200, 304, 404, 429, 503),
        responses: count,
        comparisons: fc.nat({ max: 10 }),
      }),
    ),
  ),
  shapes: usually(
    goodComparisons.shapes,
    fc.array(
      fc.record({ shape: fc.constantFrom('a', 'b'), responses: count, comparisons: fc.nat({ max: 5 }) }),
    ),
  ),
  accounts: usually(goodComparisons.accounts, fc.nat({ max: 64 }).map(accountsOf)),
  activeAccounts: usually(goodComparisons.activeAccounts, fc.nat({ max: 64 }).map(accountsOf)),
  alarm: usually<ComparisonEvidence['alarm']>(null, fc.constantFrom('mismatches', 'critical')),
  mainDifference: fc.constantFrom(null, { kind: 'value', path: 'body.title' }),
})

const step = fc.record<StepEvidence>({
  evidenceKey: anyKey,
  startedAt: usually(goodStep.startedAt, fc.integer({ min: now - 10 ** 7, max: now + 10 ** 6 })),
  nativeRequests: usually(300, count),
  nativeRequestsPerMinute: rate,
  alarm: usually<StepEvidence['alarm']>(
    null,
    fc.constantFrom('errors', 'slowness', 'mismatches', 'critical'),
  ),
})

const stageAndWeight = fc.oneof(
  fc.constantFrom(
    { stage: 'proxy', weightBp: 0 } as const,
    { stage: 'shadow', weightBp: 0 } as const,
    { stage: 'native', weightBp: 10_000 } as const,
    { stage: 'retired', weightBp: 10_000 } as const,
  ),
  fc
    .constantFrom(100, 500, 2500, 5000, 1, 99, 700, 9999)
    .map((weightBp) => ({ stage: 'canary', weightBp }) as const),
)

const state = fc
  .record({
    label: fc.constantFrom(...twoSidedLabels),
    position: stageAndWeight,
    killed: usually(false, fc.constant(true)),
    held: usually(false, fc.constant(true)),
    mode: fc.constantFrom(...promotionModes),
    evidenceKey: usually<string | null>(evidenceKey, fc.constantFrom('other-key', null)),
    failedEvidenceKey: usually<string | null>(null, fc.constantFrom(evidenceKey, 'other-key')),
  })
  .map(({ label, position, ...changes }) => stateOf(label, { ...position, ...changes }))

export const gateInputs: fc.Arbitrary<GateInput> = fc
  .record({
    state,
    evidenceKey: usually<string | null>(evidenceKey, fc.constant(null)),
    instances: usually(
      { live: 3, onKey: 3 },
      fc.record({ live: fc.nat({ max: 4 }), onKey: fc.nat({ max: 4 }) }),
    ),
    contract: usually<GateInput['contract']>(
      { evidenceKey, problems: 0, forbiddingDifferences: 0, validUntil: null },
      fc.option(
        fc.record({
          evidenceKey: anyKey,
          problems: fc.nat({ max: 2 }),
          forbiddingDifferences: fc.nat({ max: 2 }),
          validUntil: usually<number | null>(null, fc.constantFrom(now, now + 1)),
        }),
      ),
    ),
    comparisons: fc.option(comparisons, { freq: 12 }),
    step: fc.option(step, { freq: 12 }),
    area: fc.constantFrom('none', 'none', 'none', 'none', 'killed', 'held'),
  })
  .map(({ state: routeState, area, ...changes }) => {
    const everything = {
      ...routeState,
      scope: '*',
      stage: null,
      killed: area === 'killed',
      held: area === 'held',
    } as const
    const states = new Map([routeState, everything].map((scoped) => [scoped.scope, scoped]))
    return createGateInput(routeState, { ...changes, states })
  })
