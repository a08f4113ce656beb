import { isResponse, type Observation } from '../diff/recorded-response.ts'
import { listReadsAfter } from './paired-reads.ts'
import {
  createPairs,
  isRead,
  type Pair,
  type ReadBack,
  type RequestObservations,
  type ScenarioRun,
} from './pairs.ts'
import { createRequest, type WireRequest } from './request.ts'
import type { Scenario } from './scenario.ts'
import { type AccountSource, createScenarioContext } from './scenario-context.ts'
import { type Aliases, observe, type Side } from './side.ts'

/** The two deployments that a run compares. */
export interface Deployments {
  readonly native: Side
  readonly core: Side
  readonly accounts: AccountSource
  /** Whether each side can read data that the other side created. */
  readonly hasSharedState: boolean
}

// Either side may write its own URL into a response.
const originAliases = ({ native, core }: Deployments): Aliases =>
  [native, core].map(({ origin }) => [origin, 'http://gateway.test'] as const)

// After a conflict the stored data must be unchanged; other errors are returned before the route writes anything.
const needsReadBack = (response: Observation) =>
  isResponse(response) && (response.status < 400 || response.status === 409 || response.status === 422)

const runOnSide = async (scenario: Scenario, own: Side, deployments: Deployments): Promise<ScenarioRun> => {
  const { context, aliases } = createScenarioContext({
    side: own,
    // Without shared state, a subscription on one side does not exist on the other.
    billingSide: deployments.hasSharedState ? deployments.native : own,
    source: deployments.accounts,
    aliases: originAliases(deployments),
  })
  const other = own === deployments.native ? deployments.core : deployments.native
  const readsBothSides = deployments.hasSharedState && !scenario.isIsolated

  const read = async (request: WireRequest): Promise<RequestObservations> => {
    const first = await observe(own, request, aliases)
    if (!readsBothSides) return { ownSide: first }
    const second = await observe(other, request, aliases)
    if (own === deployments.native) return { ownSide: first, otherSide: second }
    return { ownSide: first, otherSide: second, repeat: await observe(own, request, aliases) }
  }

  const prepared = await scenario.prepare(context)
  const request = createRequest(scenario.label, prepared)
  if (isRead(scenario.label)) return { observations: await read(request), reads: [] }

  const response = await observe(own, request, aliases)
  if (!needsReadBack(response)) return { observations: { ownSide: response }, reads: [] }
  const body = isResponse(response) && response.body.kind === 'json' ? response.body.value : null
  const reads: ReadBack[] = []
  for (const { label, params } of listReadsAfter(scenario.label, prepared.params ?? {}, body)) {
    const readRequest = createRequest(label, {
      params,
      ...(prepared.as === undefined ? {} : { as: prepared.as }),
    })
    reads.push({ label, observations: await read(readRequest) })
  }
  return { observations: { ownSide: response }, reads }
}

/** The pairs of a scenario, or why it could not run. */
export type ScenarioOutcome = { readonly pairs: readonly Pair[] } | { readonly error: string }

// An error on one side ends only this scenario and becomes the reason in the report.
const describeError = (side: Side, error: unknown) =>
  `${side.name}: ${error instanceof Error ? error.message : String(error)}`

/** Runs a scenario once on each side, each time with its own accounts if new ones can be opened. */
export const runScenario = async (scenario: Scenario, deployments: Deployments): Promise<ScenarioOutcome> => {
  const { native, core, accounts } = deployments
  const run = (side: Side) =>
    runOnSide(scenario, side, deployments).catch((error: unknown) => ({ error: describeError(side, error) }))
  // If both runs use the same accounts, concurrent runs would see the data of each other.
  const first = run(native)
  if (!accounts.hasFreshAccounts) await first
  const [nativeRun, coreRun] = await Promise.all([first, run(core)])
  const errors = [nativeRun, coreRun].flatMap((result) => ('error' in result ? [result.error] : []))
  if ('error' in nativeRun || 'error' in coreRun) return { error: errors.join('; ') }
  return { pairs: createPairs(scenario, nativeRun, coreRun, accounts.hasFreshAccounts) }
}
