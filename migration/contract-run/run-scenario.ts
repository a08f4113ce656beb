import { isResponse, type Observation } from '../diff/recorded-response.ts'
import { readsAfter } from './paired-reads.ts'
import { createPairs, isReading, type PageView, type Pair, type ReadBack, type SentRequest } from './pairs.ts'
import { createRequest, type WireRequest } from './request.ts'
import type { Scenario } from './scenario.ts'
import { type AccountSource, createScenarioContext } from './scenario-context.ts'
import { type Aliases, observe, type Side } from './side.ts'

/** The two deployments, and what a run knows of them. */
export interface Deployments {
  readonly native: Side
  readonly core: Side
  readonly accounts: AccountSource
  /** Whether what is made on one side is there on the other. */
  readonly shareState: boolean
}

// Either side may write its own address into what it answers.
const originAliases = ({ native, core }: Deployments): Aliases =>
  [native, core].map(({ origin }) => [origin, 'http://gateway.test'] as const)

// A conflict must have left everything as it was; other refusals come before anything could have been done.
const isReadBack = (answer: Observation) =>
  isResponse(answer) && (answer.status < 400 || answer.status === 409 || answer.status === 422)

const visit = async (scenario: Scenario, own: Side, deployments: Deployments): Promise<PageView> => {
  const { world, aliases } = createScenarioContext({
    side: own,
    // What is bought on one side is paid for on the other only where they share what they know.
    seller: deployments.shareState ? deployments.native : own,
    source: deployments.accounts,
    aliases: originAliases(deployments),
  })
  const other = own === deployments.native ? deployments.core : deployments.native
  const isCrossing = deployments.shareState && !scenario.apart

  const read = async (request: WireRequest): Promise<SentRequest> => {
    const first = await observe(own, request, aliases)
    if (!isCrossing) return { own: first }
    const second = await observe(other, request, aliases)
    if (own === deployments.native) return { own: first, other: second }
    return { own: first, other: second, again: await observe(own, request, aliases) }
  }

  const ask = await scenario.prepare(world)
  const request = createRequest(scenario.label, ask)
  if (isReading(scenario.label)) return { asked: await read(request), reads: [] }

  const answer = await observe(own, request, aliases)
  if (!isReadBack(answer)) return { asked: { own: answer }, reads: [] }
  const body = isResponse(answer) && answer.body.kind === 'json' ? answer.body.value : null
  const reads: ReadBack[] = []
  for (const { label, params } of readsAfter(scenario.label, ask.params ?? {}, body)) {
    const sent = createRequest(label, { params, ...(ask.as === undefined ? {} : { as: ask.as }) })
    reads.push({ label, asked: await read(sent) })
  }
  return { asked: { own: answer }, reads }
}

/** What came of a scenario: the answers to compare, or why there are none. */
export type ScenarioOutcome = { readonly pairs: readonly Pair[] } | { readonly obstacle: string }

// Whatever stops a scenario, the others are played: what an odd answer led it into is told as its reason.
const obstacleOf = (side: Side, error: unknown) =>
  `${side.name}: ${error instanceof Error ? error.message : String(error)}`

/** Plays a scenario once on each side, each time with accounts of its own. */
export const runScenario = async (scenario: Scenario, deployments: Deployments): Promise<ScenarioOutcome> => {
  const { native, core, accounts } = deployments
  const visitOf = (side: Side) =>
    visit(scenario, side, deployments).catch((error: unknown) => ({ obstacle: obstacleOf(side, error) }))
  // Where both worlds are of one account, what one makes would show in the other.
  const first = visitOf(native)
  if (!accounts.areFresh) await first
  const [ofNative, ofCore] = await Promise.all([first, visitOf(core)])
  const obstacles = [ofNative, ofCore].flatMap((visited) => ('obstacle' in visited ? [visited.obstacle] : []))
  if ('obstacle' in ofNative || 'obstacle' in ofCore) return { obstacle: obstacles.join('; ') }
  return { pairs: createPairs(scenario, ofNative, ofCore, accounts.areFresh) }
}
