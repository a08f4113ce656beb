import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { isResponse, jsonOf, type Observation, statusOf } from '../../diff/recorded-response.ts'
import { listReadsAfter } from '../paired-reads.ts'
import {
  createPairs,
  isRead,
  type Pair,
  type ReadBack,
  type RequestObservations,
  type ScenarioRun,
} from './pairs.ts'
import { aliasCreatedIds } from './prepared-ids.ts'
import { compareProviderRecords, type ProviderDifference } from './provider-records.ts'
import { type PageSize, readPages } from './read-pages.ts'
import {
  type FailedCall,
  NeedsRowsError,
  PreparationError,
  type Scenario,
  type ScenarioRequest,
} from './scenario.ts'
import { createScenarioContext, type Deployments } from './scenario-context.ts'
import { type Aliases, type ComparedSide, withAliases } from './side.ts'

// A conflict must leave the stored data unchanged, so it is read back. Other errors occur before the route has written
// anything.
const needsReadBack = (response: Observation) =>
  isResponse(response) && (response.status < 400 || response.status === 409 || response.status === 422)

interface ReadOptions {
  readonly expected?: number
  readonly pageSize?: PageSize | undefined
}

// Long enough for a job that a request has queued, for example to send an email.
const settleMs = 1000

const anyUuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const parseWithAliases = (text: string, aliases: Aliases): unknown =>
  JSON.parse(withAliases(text, [...aliases, [anyUuid, 'id']]))

const runOnSide = async (
  scenario: Scenario,
  own: ComparedSide,
  deployments: Deployments,
  isConfirming: boolean,
): Promise<ScenarioRun> => {
  const { session } = deployments
  const { nonce, context, aliases } = createScenarioContext(deployments, own)
  const other = own === deployments.native ? deployments.core : deployments.native
  const readsBothSides = deployments.hasSharedState && !scenario.isIsolated

  const read = async (
    label: Label,
    request: ScenarioRequest,
    { expected, pageSize }: ReadOptions = {},
  ): Promise<RequestObservations> => {
    const options = { aliases, ...(expected === undefined ? {} : { expected }) }
    const send = (side: ComparedSide) =>
      pageSize === undefined
        ? session.send(side, label, request, options)
        : readPages(request, pageSize, (page) => session.send(side, label, page, options))
    const first = await send(own)
    if (!readsBothSides) return { request, ownSide: first }
    const second = await send(other)
    if (own === deployments.native) return { request, ownSide: first, otherSide: second }
    const repeat = await send(own)
    return { request, ownSide: first, otherSide: second, repeat }
  }

  const readFrom = async (
    side: ComparedSide,
    label: Label,
    request: ScenarioRequest,
  ): Promise<RequestObservations | null> =>
    own === side || deployments.hasSharedState
      ? { request, ownSide: await session.send(side, label, request, { aliases }) }
      : null

  const {
    reads = [],
    settle,
    pageSize,
    ...prepared
  } = await aliasCreatedIds(aliases, async () => scenario.prepare(context))
  const { label, status: expected } = scenario
  const readEffects = async (body: unknown, pairedReads: ReturnType<typeof listReadsAfter>) => {
    // If one side never finishes what a request started, the reads show that.
    await settle?.().catch(() => undefined)
    const ownReads = typeof reads === 'function' ? reads(body) : reads
    const planned = [
      ...pairedReads.map(({ label, fromCore, params }) => ({
        label,
        request: { params, ...(prepared.as && { as: prepared.as }) },
        from: fromCore ? deployments.core : null,
      })),
      ...ownReads.map(({ label, fromNative, ...request }) => ({
        label,
        request,
        from: fromNative ? deployments.native : null,
      })),
    ]
    const found: ReadBack[] = []
    for (const { label, request, from } of planned) {
      const observations = await (from ? readFrom(from, label, request) : read(label, request))
      if (observations) found.push({ label, observations })
    }
    return found
  }

  if (isRead(label)) {
    if (isConfirming) await sleep(settleMs)
    const observations = await read(label, prepared, { expected, pageSize })
    return { observations, reads: await readEffects(null, []) }
  }

  const response = await session.send(own, label, prepared, { aliases, expected })
  const observations = { request: prepared, ownSide: response }
  const { readProviders } = deployments
  const records = readProviders &&
    rowOf(label).effects === 'external' && {
      readRecords: async () => parseWithAliases(JSON.stringify(await readProviders(nonce)), aliases),
    }
  if (!needsReadBack(response)) return { observations, reads: [], ...records }
  const body = jsonOf(response)
  if (isConfirming) await sleep(settleMs)
  const pairedReads = listReadsAfter(label, prepared.params ?? {}, body)
  return { observations, reads: await readEffects(body, pairedReads), ...records }
}

export interface ScenarioOutcome {
  readonly pairs: readonly Pair[]
  readonly providerDifference?: ProviderDifference | null
  /** Set if the scenario needs rows that no route stores, and this run must not store them. */
  readonly needsRows?: true
  /** Any other reason why nothing was compared. */
  readonly error?: string
  /** The preparing request that failed on native, if none failed on the core. */
  readonly nativeFailure?: FailedCall
}

// An error on one side ends only this scenario. The report shows it as the reason why nothing was compared.
const describeError = (side: ComparedSide, error: unknown) =>
  `${side.name}: ${error instanceof Error ? error.message : String(error)}`

// Without shared state, a given account has different existing data on each side.
const withoutSharedState =
  'with your own account tokens, reads are compared only if both sides share a database and the scenario sends its request to both'

/**
 * Runs a scenario once on each side, with separate accounts if new ones can be opened. A run that confirms a difference
 * waits before it reads, so that both sides read their final state.
 */
export const runScenario = async (
  scenario: Scenario,
  deployments: Deployments,
  isCompared: (label: Label) => boolean,
  isConfirming = false,
): Promise<ScenarioOutcome> => {
  const { native, core, accounts, session } = deployments
  const run = (side: ComparedSide) =>
    session.journal
      .removeAfter(() => runOnSide(scenario, side, deployments, isConfirming))
      .catch((error: unknown) => ({
        error: describeError(side, error),
        failedCall: error instanceof PreparationError ? error.failedCall : null,
        needsRows: error instanceof NeedsRowsError,
      }))
  // If both runs use the same accounts, concurrent runs would see each other's data.
  const first = run(native)
  if (!accounts.hasFreshAccounts) await first
  const [nativeRun, coreRun] = await Promise.all([first, run(core)])
  if ('error' in nativeRun || 'error' in coreRun) {
    const failures = [nativeRun, coreRun].flatMap((result) => ('error' in result ? [result] : []))
    if (failures.length === 2 && failures.every(({ needsRows }) => needsRows))
      return { pairs: [], needsRows: true }
    const [call] = failures.map(({ failedCall }) => failedCall)
    const isNativeAlone = failures.every(({ failedCall }) => failedCall?.side === 'native')
    return {
      pairs: [],
      error: failures.map(({ error }) => error).join('; '),
      ...(call && isNativeAlone && isCompared(call.label) && { nativeFailure: call }),
    }
  }
  const pairs = createPairs(scenario, nativeRun, coreRun, accounts.hasFreshAccounts, isCompared)
  if (pairs.length === 0) return { pairs, error: withoutSharedState }
  const [ours, theirs] = [nativeRun.readRecords, coreRun.readRecords]
  // If only one side rejected the request, the responses show that.
  const isComparable = statusOf(nativeRun.observations.ownSide) === statusOf(coreRun.observations.ownSide)
  if (!ours || !theirs || !isComparable) return { pairs }
  return compareProviderRecords(ours, theirs).then(
    (providerDifference) => ({ pairs, providerDifference }),
    (error: unknown) => ({ pairs: [], error: `providers: ${String(error)}` }),
  )
}
